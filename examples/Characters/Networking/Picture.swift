// Picture: grey pixels, read from a portable graymap.
//
// Invariant  pixels.count == width * height, and neither is above `sideMax`.

/// A picture that can be shown.
package nonisolated struct Picture: Hashable, Sendable {
    /// Pixels of a side. Chosen: more than a terminal has cells.
    package static let sideMax = 256

    package let width: Int
    package let height: Int
    /// Row by row from the top: 0 is black, 255 white.
    package let pixels: [UInt8]

    /// Why the bytes are not a picture.
    package nonisolated struct Malformed: Error, Equatable, CustomStringConvertible {
        package let description: String
    }

    /// Reads a binary portable graymap (`P5`) with one byte for each pixel, without comments.
    package init(graymap bytes: [UInt8]) throws(Malformed) {
        var rest = bytes[...]
        guard rest.starts(with: Array("P5".utf8)) else { throw Malformed(description: "no P5") }
        rest = rest.dropFirst(2)
        width = try Self.number(&rest, "width", 1...Self.sideMax)
        height = try Self.number(&rest, "height", 1...Self.sideMax)
        _ = try Self.number(&rest, "depth", 255...255)
        // One space, and then only pixels.
        guard rest.count == width * height + 1 else {
            throw Malformed(
                description: "\(max(0, rest.count - 1)) pixels, and not \(width) × \(height)")
        }
        pixels = Array(rest.dropFirst())
    }

    private static func number(
        _ bytes: inout ArraySlice<UInt8>, _ name: String, _ range: ClosedRange<Int>
    ) throws(Malformed) -> Int {
        guard let first = bytes.first, isSpace(first) else {
            throw Malformed(description: "no space before its \(name)")
        }
        bytes = bytes.drop(while: isSpace)
        // Four digits are more than any allowed number has: nothing can overflow.
        let digits = bytes.prefix(4).prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        bytes = bytes.dropFirst(digits.count)
        let number = digits.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
        guard !digits.isEmpty, range.contains(number) else {
            throw Malformed(description: "its \(name) is not within \(range)")
        }
        return number
    }

    private static func isSpace(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\n")
    }
}
