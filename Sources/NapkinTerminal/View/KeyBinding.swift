// KeyBinding: a key of the keyboard, what it does, and what the screen says about it.
//
// Layer      terminal, views.
// Isolation  a key is a value; a binding's action is @MainActor.

/// A key of the keyboard.
public nonisolated enum Key: Hashable, Sendable {
    case character(Character)
    case enter
    case escape
    case backspace
    case tab
    case up
    case down
    case left
    case right
    case pageUp
    case pageDown
    case home
    case end
    /// Ctrl with a letter, in lower case.
    case control(Character)

    /// How the screen names it.
    public var label: String {
        switch self {
        case .character(" "): "Space"
        case .character(let character): String(character)
        case .control(let character): "^" + character.uppercased()
        case .enter: "Enter"
        case .escape: "Esc"
        case .backspace: "Backspace"
        case .tab: "Tab"
        case .up: "↑"
        case .down: "↓"
        case .left: "←"
        case .right: "→"
        case .pageUp: "PgUp"
        case .pageDown: "PgDn"
        case .home: "Home"
        case .end: "End"
        }
    }
}

/// What a key does in a view.
public struct KeyBinding {
    /// Which common keys stand for the binding, too.
    public nonisolated enum Role: Sendable {
        /// Enter, for the first one of a screen.
        case action
        /// Escape and Backspace.
        case back
    }

    public let key: Key
    public let label: String
    public let role: Role
    public let action: () -> Void

    public init(
        _ key: Key, _ label: String, role: Role = .action, action: @escaping () -> Void
    ) {
        self.key = key
        self.label = label
        self.role = role
        self.action = action
    }

    /// `[l] Login`.
    public var hint: StyledLine {
        StyledLine(spans: [TextSpan("[\(key.label)]", .key), TextSpan(" \(label)")])
    }
}

extension [KeyBinding] {
    /// What `key` does: its own binding, else the one it stands for.
    func binding(for key: Key) -> KeyBinding? {
        if let exact = first(where: { $0.key == key }) { return exact }
        switch key {
        case .enter: return first
        case .escape, .backspace: return first { $0.role == .back }
        case .character(let character):
            // Caps Lock is on.
            guard let lower = character.lowercased().first, lower != character else { return nil }
            return first { $0.key == .character(lower) }
        default: return nil
        }
    }
}
