// SequenceFilter: rewrites the few control sequences that programs use and libvterm lacks.
//
// Isolation  value; its owner passes the rewritten bytes on to libvterm.
// Invariant  keeps at most `sequenceMax` bytes of an unfinished sequence. libvterm receives only
//            whole control sequences, with at most `parametersMax` short parameters: with others,
//            version 0.1 overwrites its own memory.
// Spec       ECMA-48, 5.4 (CSI), 8.3.103 (REP), 8.3.117 (SGR); libvterm 0.1 to 0.3 have no faint.
//
// Faint (SGR 2) becomes the font 9, which no program uses; 22 ends both it and bold. A repetition
// (REP) becomes the characters. The colour of an underline (58) is dropped, since libvterm would
// read it as other attributes.

struct SequenceFilter {
    /// Bytes of a sequence; longer ones are dropped. Chosen: they set nothing that matters.
    private static let sequenceMax = 256
    /// Parameters of a sequence; those with more are dropped. Source: libvterm's `CSI_ARGS_MAX`.
    private static let parametersMax = 16
    /// Digits of a parameter. Chosen: no screen has so many rows or columns.
    private static let digitsMax = 5

    private enum State {
        case text
        /// Within a character. libvterm must receive its bytes together: its two UTF-8 decoders,
        /// one of them for texts that begin with ASCII, share no state. Controls of two bytes are
        /// dropped: version 0.1 counts them as characters.
        case character
        case escape
        /// After `ESC [`; `held` has the whole sequence so far.
        case control
        /// Within a control sequence that is dropped.
        case ignored
        /// Within an OSC or another string, until it ends.
        case string
    }

    /// The most characters that one repetition writes: as many as a screen has.
    var repeats = 80 * 24
    private var state = State.text
    private var held: [UInt8] = []
    /// The last character, in UTF-8; empty if a sequence other than a colour has followed it.
    private var last: [UInt8] = []

    /// Passes the bytes on to `write`, in pieces.
    mutating func pass(
        _ bytes: UnsafeRawBufferPointer, to write: (UnsafeRawBufferPointer) -> Void
    ) {
        var (begin, index) = (0, 0)
        func flush(_ end: Int) {
            if end > begin { write(UnsafeRawBufferPointer(rebasing: bytes[begin..<end])) }
        }
        while index < bytes.count {
            let byte = bytes[index]
            switch state {
            case .text:
                let end =
                    bytes[index...].firstIndex { $0 == 0x1B || $0 == 0xC2 }
                    ?? bytes.count - Self.begun(bytes[index...])
                remember(bytes[index..<end])
                flush(end)
                begin = bytes.count
                if end < bytes.count {
                    state = bytes[end] == 0x1B ? .escape : .character
                    held = state == .escape ? [0x1B] : Array(bytes[end...].prefix(1))
                    begin = end + held.count
                }
                index = begin
                continue
            case .character:
                begin = index
                guard joins(byte, to: write) else { continue }
                begin += 1
            case _ where isControl(byte):
                // Control characters take effect within a sequence, and these two end it.
                if byte == 0x18 || byte == 0x1A { (state, held) = (.text, []) }
                begin = index
                flush(index + 1)
                begin = index + 1
            case .escape:
                held.append(byte)
                switch byte {
                case UInt8(ascii: "["): state = .control
                case UInt8(ascii: "]"), UInt8(ascii: "P"), UInt8(ascii: "X"), UInt8(ascii: "^"),
                    UInt8(ascii: "_"):
                    state = .string
                    release(to: write)
                case 0x1B: held = [0x1B]
                default:
                    state = .text
                    release(to: write)
                    if byte == UInt8(ascii: "8") { Self.bringCursorBack(write) }
                }
                begin = index + 1
            case .control, .ignored:
                begin = index + 1
                continues(byte, to: write)
            case .string:
                if byte == 0x07 || byte == 0x18 || byte == 0x1A {
                    state = .text
                } else if byte == 0x1B {
                    flush(index)
                    begin = index + 1
                    (state, held) = (.escape, [0x1B])
                }
            }
            index += 1
        }
        if begin < bytes.count { flush(bytes.count) }
    }

    /// Makes libvterm 0.1 move a restored cursor back onto a screen that has become smaller:
    /// otherwise it would write outside its memory. It does so after each control sequence, even
    /// one for a mode that it does not know.
    private static func bringCursorBack(_ write: (UnsafeRawBufferPointer) -> Void) {
        Array("\u{1B}[?9999h".utf8).withUnsafeBytes(write)
    }

    /// Whether the byte takes effect on its own, within a control sequence.
    private func isControl(_ byte: UInt8) -> Bool {
        switch state {
        case .text, .character, .string: false
        case .escape, .control, .ignored: byte < 0x20 && byte != 0x1B || byte == 0x7F
        }
    }

    private mutating func release(to write: (UnsafeRawBufferPointer) -> Void) {
        held.withUnsafeBytes(write)
        held = []
    }

    /// Handles a byte of a character; returns false if the byte does not belong to it.
    private mutating func joins(_ byte: UInt8, to write: (UnsafeRawBufferPointer) -> Void) -> Bool {
        guard byte & 0xC0 == 0x80 else {
            (state, held) = (.text, Array("\u{FFFD}".utf8))
            release(to: write)
            return false
        }
        held.append(byte)
        guard held.count == Self.length(held[0]) else { return true }
        state = .text
        last = held[0] == 0xC2 && byte < 0xA0 ? [] : held
        if !last.isEmpty { release(to: write) }
        held = []
        return true
    }

    /// Handles a byte of a control sequence.
    private mutating func continues(_ byte: UInt8, to write: (UnsafeRawBufferPointer) -> Void) {
        switch byte {
        case 0x1B: (state, held) = (.escape, [0x1B])
        case 0x40...0x7E:
            held.append(byte)
            if state == .control { finish(to: write) }
            (state, held) = (.text, [])
        case 0x20...0x3F where state == .control && held.count < Self.sequenceMax:
            held.append(byte)
        default: state = .ignored
        }
    }

    /// Returns the length in bytes of a character with this first byte.
    private static func length(_ byte: UInt8) -> Int {
        byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : byte >= 0xC0 ? 2 : 1
    }

    /// Returns how many bytes at the end of a text belong to an incomplete character.
    private static func begun(_ text: Slice<UnsafeRawBufferPointer>) -> Int {
        let tail = text.suffix(3)
        guard let begin = tail.lastIndex(where: { $0 & 0xC0 != 0x80 }) else { return 0 }
        return length(tail[begin]) > tail.endIndex - begin ? tail.endIndex - begin : 0
    }

    /// Keeps the last character of a text, for a repetition.
    private mutating func remember(_ text: Slice<UnsafeRawBufferPointer>) {
        guard let end = text.last else { return }
        let bytes = text.suffix(4)
        guard end >= 0x20, end != 0x7F, let begin = bytes.lastIndex(where: { $0 & 0xC0 != 0x80 })
        else {
            last = []
            return
        }
        last = Array(bytes[begin...])
    }

    /// Ends a control sequence, and rewrites it if necessary.
    private mutating func finish(to write: (UnsafeRawBufferPointer) -> Void) {
        let parameters = held.dropFirst(2).dropLast()
        let isPlain = parameters.allSatisfy { 0x30...0x3B ~= $0 }
        let texts = parameters.split(omittingEmptySubsequences: false) { 0x3A...0x3B ~= $0 }
        guard texts.count <= Self.parametersMax,
            texts.allSatisfy({ $0.count { 0x30...0x39 ~= $0 } <= Self.digitsMax })
        else { return }
        switch held.last {
        case UInt8(ascii: "m") where isPlain && !parameters.isEmpty:
            held = Self.colours(parameters)
        case UInt8(ascii: "b") where isPlain:
            let count = min(Int(String(decoding: parameters, as: UTF8.self)) ?? 1, repeats)
            held = Array(repeatElement(last, count: max(1, count)).joined())
        default: last = []
        }
        if !held.isEmpty { release(to: write) }
    }

    /// Returns a select-graphic-rendition sequence in libvterm's terms; empty if nothing is left.
    private static func colours(_ parameters: ArraySlice<UInt8>) -> [UInt8] {
        var kept: [[UInt8]] = []
        var rest = parameters.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false)[
            ...]
        while let parameter = rest.popFirst() {
            let text = String(decoding: parameter, as: UTF8.self)
            switch text {
            case "2": kept.append(Array("19".utf8))
            case "22": kept += [Array("22".utf8), Array("10".utf8)]
            case "38", "48", "58":
                let arguments = Self.arguments(rest)
                let colour = [parameter] + rest.prefix(arguments)
                rest = rest.dropFirst(arguments)
                if text != "58" { kept += colour.map(Array.init) }
            case _ where text.hasPrefix("58:"): break
            case "10", "11", "12", "13", "14", "15", "16", "17", "18", "19": break
            default: kept.append(Array(parameter))
            }
        }
        guard !kept.isEmpty else { return [] }
        return [0x1B, UInt8(ascii: "[")] + kept.joined(separator: [UInt8(ascii: ";")])
            + [UInt8(ascii: "m")]
    }

    /// Returns how many parameters belong to a colour: `5;n` or `2;r;g;b`.
    private static func arguments(_ rest: ArraySlice<ArraySlice<UInt8>>) -> Int {
        switch rest.first.map({ String(decoding: $0, as: UTF8.self) }) {
        case "5": 2
        case "2": 4
        default: 0
        }
    }
}
