// BackgroundQuestion: a terminal's answer to the question for its background colour.
//
// Isolation  value; it sends nothing itself.
// Spec       XTerm Control Sequences: OSC 11, and Primary Device Attributes (DA1). Every terminal
//            answers DA1, and in order: after that answer, none to OSC 11 can follow.

nonisolated struct BackgroundQuestion {
    /// Whether answers may still come.
    private(set) var isOpen = false
    /// Whether the background is light; `nil` if the terminal has not answered.
    private(set) var isLight: Bool?

    /// Whether the screen can stop waiting: the answer has arrived, or none will.
    var isSettled: Bool { isLight != nil || !isOpen }

    mutating func ask() { isOpen = true }

    /// Checks a sequence for an answer; it comes without its Escape and its string terminator.
    mutating func received(_ sequence: String) {
        if sequence.hasPrefix("[?"), sequence.hasSuffix("c") { isOpen = false }
        if let colour = Self.colour(in: sequence) { isLight = colour.isLight }
    }

    /// Parses `]11;rgb:RRRR/GGGG/BBBB` with one to four digits per number; `rgba:` has a fourth.
    private static func colour(in answer: String) -> TerminalTheme.RGB? {
        let parts = answer.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0] == "]11;rgb" || parts[0] == "]11;rgba" else { return nil }
        let values = parts[1].split(separator: "/", omittingEmptySubsequences: false).prefix(3)
            .compactMap { digits -> UInt8? in
                guard (1...4).contains(digits.utf8.count), let value = UInt16(digits, radix: 16)
                else {
                    return nil
                }
                return UInt8(Int(value) * 255 / (1 << (4 * digits.utf8.count) - 1))
            }
        guard values.count == 3 else { return nil }
        return TerminalTheme.RGB(red: values[0], green: values[1], blue: values[2])
    }
}
