// TerminalBell: the bytes with which a terminal calls for attention.
//
// Invariant  a text adds no control character to them.
// Spec       OSC 9 as iTerm2, OSC 777 as rxvt-unicode has it; tmux(1), allow-passthrough

/// What a front asks of its terminal: nothing, the bell, or a notification as well.
enum TerminalBell: String, CaseIterable {
    case off, bell, osc9, osc777

    /// Characters of a notification. Chosen: about what desktops show.
    static let textMax = 200

    func bytes(for text: String, of app: String, inTmux: Bool) -> String {
        let text = CellWidth.printable(String(text.prefix(Self.textMax)))
        switch self {
        case .off: return ""
        case .bell: return "\u{7}"
        // With the app first: ConEmu and others take a number there for another command.
        case .osc9: return "\u{7}" + Self.passed("9;\(app): \(text)", inTmux)
        case .osc777: return "\u{7}" + Self.passed("777;notify;\(app);\(text)", inTmux)
        }
    }

    /// tmux passes to its terminal what is in its own brackets, if its user lets it.
    private static func passed(_ command: String, _ inTmux: Bool) -> String {
        let escape = "\u{1B}"
        guard inTmux else { return "\(escape)]\(command)\u{7}" }
        return "\(escape)Ptmux;\(escape)\(escape)]\(command)\u{7}\(escape)\\"
    }
}
