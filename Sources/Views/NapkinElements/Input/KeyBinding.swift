// KeyBinding: a key's action in a view, and its name on the screen.

/// What a key does in a view.
public struct KeyBinding {
    /// Which common keys also stand for the binding.
    public nonisolated enum Role: Sendable {
        /// Enter, for the first such binding of a screen.
        case action
        /// Escape and Backspace.
        case cancel
    }

    public let key: Key
    public let label: String
    public let role: Role
    /// Whether the line of keys names it. A binding that the view itself shows need not be there.
    public let isNamed: Bool
    public let action: () -> Void
    /// Whether it is a page's key to leave it that nobody has written.
    package var leavesPage = false

    public init(
        _ key: Key, _ label: String, role: Role = .action, isNamed: Bool = true,
        action: @escaping () -> Void
    ) {
        self.isNamed = isNamed
        self.key = key
        self.label = label
        self.role = role
        self.action = action
    }

    /// The hint in the line of keys: `[l] Login`.
    public var hint: StyledLine { hint(.key) }

    package func hint(_ role: TextRole) -> StyledLine {
        StyledLine(spans: [TextSpan("[\(key.label)]", role), TextSpan(" \(label)")])
    }
}

extension [KeyBinding] {
    /// Returns what `key` does: its own binding, otherwise the binding that it stands for.
    package func binding(for key: Key) -> KeyBinding? {
        if let exact = first(where: { $0.key == key }) { return exact }
        switch key {
        case .enter: return first { $0.role == .action }
        case .escape, .backspace: return first { $0.role == .cancel }
        case .character(let character):
            // Caps Lock is on.
            guard let lower = character.lowercased().first, lower != character else { return nil }
            return first { $0.key == .character(lower) }
        default: return nil
        }
    }
}
