// BackgroundQuestion: the answer of a terminal about its background.
//
// Isolation  value; it asks nothing itself.
// Spec       XTerm Control Sequences: OSC 11, and Primary Device Attributes (DA1), which every
//            terminal answers, in order: no answer to the first one comes after that to the second.

/// A question about the background, and what has come of the answer.
nonisolated struct BackgroundQuestion {
    /// Whether answers may still come.
    private(set) var isOpen = false
    /// Whether the background is light; `nil` if the terminal has not said it.
    private(set) var isLight: Bool?

    /// Whether the screen need not wait: the answer has come, or none will.
    var isSettled: Bool { isLight != nil || !isOpen }

    mutating func ask() { isOpen = true }

    /// Looks for an answer in a sequence, which comes without its Escape and what ends a string.
    mutating func received(_ sequence: String) {
        if sequence.hasPrefix("[?"), sequence.hasSuffix("c") { isOpen = false }
        if let colour = Self.colour(in: sequence) { isLight = colour.isLight }
    }

    /// Reads `]11;rgb:RRRR/GGGG/BBBB`, whose numbers have one to four digits; `rgba:` has a fourth.
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
