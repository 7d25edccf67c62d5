// BackgroundQuestion: finds what a terminal says of its background among the keys.
//
// Layer      terminal, input.
// Isolation  value; it asks nothing itself.
// Invariant  takes no more of the input than an answer can be, and nothing once all have come.
// Spec       XTerm Control Sequences: OSC 11, and Primary Device Attributes (DA1), which every
//            terminal answers, in order: no answer to the first one comes after that to the second.

/// A question about the background, and what has come of the answer.
nonisolated struct BackgroundQuestion {
    /// The most characters of an answer. Chosen: twice what terminals are known to send.
    private static let charactersMax = 128

    /// Whether answers may still come.
    private(set) var isOpen = false
    /// Whether the background is light; `nil` if the terminal has not said it.
    private(set) var isLight: Bool?
    /// The answer that has begun, without its Escape.
    private var answer: String?
    /// Whether an Escape has ended the answer, of which a `\` then is a part.
    private var isEnding = false

    /// Whether the screen need not wait: the answer has come, or none will.
    var isSettled: Bool { isLight != nil || !isOpen }

    mutating func ask() { isOpen = true }

    /// Whatever comes from now on is a person's.
    mutating func giveUp() { isOpen = false }

    /// Takes the report after an Escape, if an answer begins so.
    mutating func begins(_ report: CursesKey?) -> Bool {
        guard isOpen, case .character(let code)? = report, code == 0x5B || code == 0x5D else {
            return false
        }
        answer = code == 0x5B ? "[" : "]"
        return true
    }

    /// Takes a report, if it is a part of the answer that has begun.
    mutating func takes(_ report: CursesKey) -> Bool {
        if isEnding {
            isEnding = false
            if report == .character(0x5C) { return true }
        }
        guard let known = answer.take(), case .character(let code) = report,
            let scalar = Unicode.Scalar(code)
        else { return false }
        switch (known.first, scalar) {
        case ("]", "\u{7}"), ("]", "\u{1B}"):
            isEnding = scalar == "\u{1B}"
            isLight = Self.colour(in: known)?.isLight ?? isLight
        case ("[", "c") where known.hasPrefix("[?"): isOpen = false
        case ("[", "0"..."9"), ("[", ";"), ("[", "?"), ("]", "0"..."9"), ("]", "a"..."g"),
            ("]", "A"..."F"), ("]", "r"), ("]", ";"), ("]", ":"), ("]", "/"), ("]", "#"):
            guard known.count < Self.charactersMax else { return false }
            answer = known + String(scalar)
        default: return false
        }
        return true
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
