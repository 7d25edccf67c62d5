// InputDecoder: turns the reports of ncurses into keys, clicks and pastes.
//
// Layer      terminal, input.
// Isolation  value; it does no input itself.
// Invariant  keeps at most `FieldMemory.bytesMax` bytes of a paste.
// Spec       curs_get_wch(3X), curs_mouse(3X); bracketed paste: XTerm Control Sequences

internal import CNcurses
import NapkinElements

/// A report of ncurses.
nonisolated enum CursesKey: Equatable {
    case character(UInt32)
    case function(Int32)
    case click(x: Int, y: Int)
    case wheel(x: Int, y: Int, lines: Int)
    /// The brackets around a paste.
    case pasteBegins
    case pasteEnds

    /// The key for a view; `nil` for a key without a meaning here.
    var key: Key? {
        switch self {
        case .character(13), .character(10): .enter
        case .character(27): .escape
        case .character(8), .character(127): .backspace
        case .character(9): .tab
        case .character(let code) where (1...26).contains(code):
            .control(Character(Unicode.Scalar(UInt8(code) + 96)))
        case .character(let code) where code < 32: nil
        case .character(let code):
            Unicode.Scalar(code).map { .character(Character($0)) }
        case .function(let code): Self.function(code)
        case .click, .wheel, .pasteBegins, .pasteEnds: nil
        }
    }

    private static func function(_ code: Int32) -> Key? {
        switch code {
        case KEY_ENTER: .enter
        case KEY_BACKSPACE: .backspace
        case KEY_DC: .delete
        case KEY_BTAB: .backTab
        case KEY_UP: .up
        case KEY_DOWN: .down
        case KEY_LEFT: .left
        case KEY_RIGHT: .right
        case KEY_PPAGE: .pageUp
        case KEY_NPAGE: .pageDown
        case KEY_HOME: .home
        case KEY_END: .end
        case (KEY_F0 + 1)...(KEY_F0 + 63): .function(Int(code - KEY_F0))
        default: nil
        }
    }
}

/// Reads reports until they form an input.
nonisolated struct InputDecoder {
    /// The text since the opening bracket, until the closing one has come.
    private var pasted: String?
    /// A report after an Escape that is a separate key.
    private var pending: CursesKey?
    /// What the terminal was asked; its answers are no keys.
    var background = BackgroundQuestion()

    /// Returns the next input; `nil` if nothing more is waiting.
    ///
    /// - Parameter next: returns the next waiting report; `nil` if there is none.
    mutating func read(_ next: () -> CursesKey?) -> TerminalInput? {
        while let report = pending.take() ?? next() {
            switch report {
            case _ where background.takes(report): break
            case .pasteBegins:
                pasted = ""
            case .pasteEnds:
                if let text = pasted.take() { return .paste(text) }
            case _ where pasted != nil:
                paste(report)
            case .click(let x, let y): return .click(x: x, y: y)
            case .wheel(let x, let y, let lines): return .wheel(x: x, y: y, lines: lines)
            case .character(27):
                let second = next()
                if !background.begins(second) { return .key(afterEscape(second)) }
            default:
                if let key = report.key { return .key(key) }
            }
        }
        return nil
    }

    /// Alt is sent as an Escape directly before the key.
    private mutating func afterEscape(_ report: CursesKey?) -> Key {
        if case .character(let code)? = report, code > 32, code != 127,
            let scalar = Unicode.Scalar(code)
        {
            return .alt(Character(scalar))
        }
        pending = report
        return .escape
    }

    private mutating func paste(_ report: CursesKey) {
        guard case .character(let code) = report, let scalar = Unicode.Scalar(code),
            let count = pasted?.utf8.count, count <= FieldMemory.bytesMax
        else { return }
        pasted?.unicodeScalars.append(scalar == "\r" ? "\n" : scalar)
    }
}
