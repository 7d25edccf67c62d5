// Key: a key of the keyboard; and other input from a terminal: clicks, the wheel, a paste.

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
        case .enter: "Enter"
        case .escape: "Esc"
        case .backspace: "Backspace"
        case .delete: "Del"
        case .tab: "Tab"
        case .backTab: "⇧Tab"
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

/// A person's input at a terminal.
package nonisolated enum TerminalInput: Hashable, Sendable {
    case key(Key)
    /// Text that came at once, in brackets; none of it counts as a key.
    case paste(String)
    /// The left button, at a cell of the screen.
    case click(x: Int, y: Int)
    /// The wheel, in lines; down is positive.
    case wheel(x: Int, y: Int, lines: Int)
}
