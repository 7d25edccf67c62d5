// Key: a key of the keyboard, its action in a view, and other input from a terminal: clicks, the
// wheel, a paste.

/// A key of the keyboard.
public nonisolated enum Key: Hashable, Sendable, ExpressibleByExtendedGraphemeClusterLiteral {
    case character(Character)
    case enter
    case escape
    case backspace
    case delete
    case tab
    case backTab
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
    /// Alt, or Meta, with a character.
    case alt(Character)
    /// F1 and the other function keys.
    case function(Int)

    public init(extendedGraphemeClusterLiteral character: Character) {
        self = .character(character)
    }

    /// Whether a text field takes it as a letter.
    package var isLetter: Bool { if case .character = self { true } else { false } }

    /// The key's name on the screen.
    public var label: String {
        switch self {
        case .character(" "): "Space"
        case .character(let character): String(character)
        case .control(let character): "^" + character.uppercased()
        case .alt(let character): "Alt-\(character)"
        case .function(let number): "F\(number)"
        default: Self.names[self]?.label ?? ""
        }
    }
}

nonisolated extension Key {
    /// The names of keys on a screen, and in a browser.
    private static let names: [Key: (label: String, dom: String)] = [
        .enter: ("Enter", "Enter"), .escape: ("Esc", "Escape"),
        .backspace: ("Backspace", "Backspace"), .delete: ("Del", "Delete"), .tab: ("Tab", "Tab"),
        .backTab: ("⇧Tab", "Shift+Tab"), .up: ("↑", "ArrowUp"), .down: ("↓", "ArrowDown"),
        .left: ("←", "ArrowLeft"), .right: ("→", "ArrowRight"), .pageUp: ("PgUp", "PageUp"),
        .pageDown: ("PgDn", "PageDown"), .home: ("Home", "Home"), .end: ("End", "End"),
    ]

    /// The key's browser name, as in `KeyboardEvent.key`.
    package var domName: String {
        switch self {
        case .character(let character): String(character)
        case .control(let letter): "Control+\(letter)"
        case .alt(let letter): "Alt+\(letter)"
        case .function(let number): "F\(number)"
        default: Self.names[self]?.dom ?? ""
        }
    }

    /// Reads a key's browser name; `nil` if views cannot use the key.
    package init?(dom name: String) {
        if let known = Self.names.first(where: { $0.value.dom == name }) {
            self = known.key
        } else if name.count == 1, let character = name.first {
            self = .character(character)
        } else if name.hasPrefix("F"), let number = Int(name.dropFirst()), (1...63).contains(number)
        {
            self = .function(number)
        } else {
            return nil
        }
    }
}

package nonisolated enum TerminalInput: Hashable, Sendable {
    case key(Key)
    /// Text that was pasted between brackets; none of it counts as a key.
    case paste(String)
    /// Many letters that arrived together: typed ahead, or pasted where nothing marks a paste.
    case letters(String)
    /// A click of the left button, at a cell of the screen.
    case click(x: Int, y: Int)
    /// The wheel, in lines; down is positive.
    case wheel(x: Int, y: Int, lines: Int)
}

/// The action of a key in a view.
public struct KeyBinding {
    /// The common keys that also stand for the binding.
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
    /// Whether it is the key that leaves a page and that no view has declared.
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
