// InputLines: splits a byte stream into lines.
//
// Ownership  keeps at most `bytesMax` bytes of an unfinished line.

struct InputLines {
    enum Line: Equatable {
        case text([UInt8])
        /// The first `bytesMax` bytes of a longer line; the rest is dropped.
        case beginning([UInt8])
    }

    /// The most bytes of a line. Chosen: an event's payload fits, a runaway writer does not.
    static let bytesMax = 1_048_576

    /// Whether blank lines are kept.
    var keepsBlankLines = false
    private var partial: [UInt8] = []
    private var isSkipping = false

    /// Returns the lines that `bytes` complete.
    mutating func append(_ bytes: some Sequence<UInt8>) -> [Line] {
        var lines: [Line] = []
        for byte in bytes {
            if byte == UInt8(ascii: "\n") {
                if let line = take() { lines.append(line) }
            } else if partial.count < Self.bytesMax {
                partial.append(byte)
            } else {
                isSkipping = true
            }
        }
        return lines
    }

    /// Returns the last line, if it lacks a line break.
    mutating func finish() -> Line? { partial.isEmpty ? nil : take() }

    private mutating func take() -> Line? {
        defer {
            partial.removeAll(keepingCapacity: true)
            isSkipping = false
        }
        if isSkipping { return .beginning(partial) }
        let isBlank = partial.allSatisfy { $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }
        return isBlank && !keepsBlankLines ? nil : .text(partial)
    }
}
