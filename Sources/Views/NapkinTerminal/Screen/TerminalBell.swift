// TerminalBell: the bytes by which a terminal calls for attention.
//
// Invariant  a text adds no control character to them.
// Spec       OSC 9 as in iTerm2, OSC 777 as in rxvt-unicode; tmux(1), allow-passthrough

/// The terminal's signal for a call: none, the bell, or a notification as well.
enum TerminalBell: String, CaseIterable {
    case off, bell, osc9, osc777

    /// The number of characters of a notification. Chosen: about what desktops show.
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

    /// tmux passes a sequence in its own brackets on to its terminal, if its user allows that.
    private static func passed(_ command: String, _ inTmux: Bool) -> String {
        let escape = "\u{1B}"
        guard inTmux else { return "\(escape)]\(command)\u{7}" }
        return "\(escape)Ptmux;\(escape)\(escape)]\(command)\u{7}\(escape)\\"
    }
}
