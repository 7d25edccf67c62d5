// TerminalText: converts a program's terminal output to a line of roles.
//
// Invariant  reads at most `bytesMax` bytes; nothing of an escape sequence is left in the line.
// Spec       ECMA-48, 5.4 (control sequences), 8.3.117 (SGR); ITU-T T.416 for colours by `:`.

nonisolated struct TerminalText {
    /// Bytes of a line that are read. Chosen: the widest screen with a colour for each word.
    static let bytesMax = 4096
    /// Cells from one tab stop to the next, as on terminals.
    private static let tab = 8

    private var rest: Substring.UnicodeScalarView.Iterator
    private var bytes = 0
    private var isCut = false
    private var spans: [TextSpan] = []
    private var run = String.UnicodeScalarView()
    private var column = 0
    private var colour: TextRole?
    private var isBold = false
    private var isDim = false

    /// Returns the line in the nearest roles. Sequences other than colours and weights, and control
    /// characters other than tabs, are dropped.
    static func line(_ text: some StringProtocol) -> StyledLine {
        var reader = TerminalText(Substring(text))
        return reader.read()
    }

    private init(_ text: Substring) { rest = text.unicodeScalars.makeIterator() }

    private mutating func next() -> Unicode.Scalar? {
        guard let scalar = rest.next() else { return nil }
        bytes += UTF8.width(scalar)
        isCut = bytes > Self.bytesMax
        return isCut ? nil : scalar
    }

    private mutating func read() -> StyledLine {
        while let scalar = next() {
            switch scalar.value {
            case 0x1B: escape()
            case 0x9B: control()
            case 0x90, 0x98, 0x9D, 0x9E, 0x9F: string()
            case 0x09:
                for _ in 0..<Self.tab - column % Self.tab { put(" ") }
            case 0..<0x20, 0x7F..<0xA0: break
            default: put(scalar)
            }
        }
        if isCut { put("…") }
        endRun()
        return StyledLine(spans: spans)
    }

    private mutating func put(_ scalar: Unicode.Scalar) {
        run.append(scalar)
        column += 1
    }

    private var role: TextRole { colour ?? (isBold ? .title : isDim ? .secondary : .plain) }

    private mutating func endRun() {
        guard !run.isEmpty else { return }
        spans.append(TextSpan(String(run), role))
        run = String.UnicodeScalarView()
    }

    // MARK: - Sequences

    private mutating func escape() {
        switch next()?.value {
        case 0x5B: control()
        case 0x50, 0x58, 0x5D, 0x5E, 0x5F: string()
        case .some(0x20...0x2F):
            // The selection of a character set, or the like: one more character ends it.
            while let scalar = next(), (0x20...0x2F).contains(scalar.value) {}
        default: break
        }
    }

    /// Skips a string, such as a title, up to its end.
    private mutating func string() {
        while let scalar = next() {
            switch scalar.value {
            case 0x07, 0x9C: return
            case 0x1B:
                _ = next()
                return
            default: break
            }
        }
    }

    private mutating func control() {
        var parameters = ""
        while let scalar = next() {
            switch scalar.value {
            case 0x30...0x3B: parameters.unicodeScalars.append(scalar)
            case 0x20...0x3F: parameters = "?"
            case 0x6D:
                if parameters.first != "?" { select(parameters) }
                return
            // Its end, or a character that cannot be in it.
            default: return
            }
        }
    }

    /// Applies the parameters of SGR.
    private mutating func select(_ text: String) {
        endRun()
        let parameters = text.split(separator: ";", omittingEmptySubsequences: false)
        var index = 0
        while index < parameters.count {
            let parts = parameters[index].split(separator: ":").map { Int($0) ?? 0 }
            let number = parts.first ?? 0
            if number == 38 || number == 48 {
                var colour = Array(parts.dropFirst())
                if parts.count == 1 {
                    let kind = value(parameters, index + 1)
                    let count = kind == 2 ? 4 : kind == 5 ? 2 : 0
                    colour = (0..<count).map { value(parameters, index + 1 + $0) }
                    index += count
                }
                if number == 38 { self.colour = Self.role(of: colour) }
            } else {
                select(number)
            }
            index += 1
        }
    }

    private func value(_ parameters: [Substring], _ index: Int) -> Int {
        parameters.indices.contains(index) ? Int(parameters[index]) ?? 0 : 0
    }

    private mutating func select(_ number: Int) {
        switch number {
        case 0: (colour, isBold, isDim) = (nil, false, false)
        case 1: isBold = true
        case 2: isDim = true
        case 22: (isBold, isDim) = (false, false)
        case 30...37: colour = Self.role(number - 30)
        case 90: colour = .secondary
        case 91...97: colour = Self.role(number - 90)
        case 39: colour = nil
        default: break
        }
    }

    // MARK: - Colours

    /// Returns the role for one of the eight colours; black and white are the screen's own.
    private static func role(_ colour: Int) -> TextRole? {
        switch colour {
        case 1: .error
        case 2: .key
        case 3: .warning
        case 4, 5, 6: .accent
        default: nil
        }
    }

    /// Returns the role for `5 index` or `2 red green blue`.
    private static func role(of colour: [Int]) -> TextRole? {
        if colour.first == 2, colour.count >= 4 {
            let parts = Array(colour.suffix(3))
            return role(parts[0], parts[1], parts[2])
        }
        guard colour.first == 5, colour.count >= 2 else { return nil }
        switch colour[1] {
        case 8: return .secondary
        case 0..<16: return role(colour[1] % 8)
        case 16..<232:
            let cube = colour[1] - 16
            return role(cube / 36 * 51, cube / 6 % 6 * 51, cube % 6 * 51)
        case 232..<244: return .secondary
        default: return nil
        }
    }

    private static func role(_ red: Int, _ green: Int, _ blue: Int) -> TextRole? {
        // A program may write any number.
        let (red, green, blue) = (min(255, red), min(255, green), min(255, blue))
        let (least, most) = (min(red, green, blue), max(red, green, blue))
        // Chosen: a colour that looks grey.
        guard most - least > 48 else { return most < 128 ? .secondary : nil }
        let middle = (least + most) / 2
        return role((red > middle ? 1 : 0) + (green > middle ? 2 : 0) + (blue > middle ? 4 : 0))
    }
}
