// Curses: the terminal in its screen mode, from `init` to `leave`.
//
// Layer      terminal, ncurses.
// Isolation  @MainActor: nothing of ncurses may be called by two threads.
// Ownership  the process has one terminal: one screen, and an exit handler that leaves it.
// Invariant  after `leave`, at exit(3) and in a crash, the terminal is as it was before.
// Spec       curs_initscr(3X), resizeterm(3X), curs_attr(3X)

internal import CNcurses
internal import Glibc

/// Why a terminal cannot be used.
public nonisolated struct TerminalError: Error, Sendable, CustomStringConvertible {
    /// A sentence: what happened, and what to do.
    public let description: String
}

/// ncurses on standard input and output.
final class Curses {
    /// Milliseconds after which a lone Escape is a key and not the start of a sequence. Chosen:
    /// far above what a local terminal needs, below what a person notices.
    static let escapeMilliseconds: Int32 = 25

    private let theme: TerminalTheme

    /// Enters the screen mode.
    init(_ component: TerminalComponent) throws(TerminalError) {
        CellWidth.prepare()
        guard napkin_curses_start(Self.escapeMilliseconds) != 0 else {
            let type = component.terminalType ?? ""
            throw TerminalError(
                description: type.isEmpty
                    ? "TERM is not set, so that the terminal's type is unknown: set it, "
                        + "or use --plain"
                    : "the terminal type \(type) is unknown here: set TERM to one that is known "
                        + "(xterm-256color), or use --plain")
        }
        atexit { napkin_curses_leave() }
        napkin_crash(0)
        curs_set(0)
        let wanted = component.theme
        guard wanted != .plain, has_colors(), start_color() == OK else {
            theme = .plain
            return
        }
        theme = wanted
        use_default_colors()
        for role in TextRole.allCases { _ = init_pair(role.pair, theme[role].colour.rawValue, -1) }
    }

    func leave() { napkin_curses_leave() }

    var size: ScreenSize {
        ScreenSize(width: Int(napkin_curses_columns()), height: Int(napkin_curses_lines()))
    }

    /// Takes the terminal's size for the screen's, and draws the whole of it at the next `draw`:
    /// terminals move and wrap what they show when they change their size, each in its own way.
    ///
    /// Not resizeterm(3X): that one also puts KEY_RESIZE into the input, each time.
    func resize() {
        guard let size = ScreenSize.ofTerminal(STDOUT_FILENO) else { return }
        resize_term(Int32(clamping: size.height), Int32(clamping: size.width))
        forget()
    }

    /// Draws the whole screen anew at the next `draw`: another program may have written on it.
    func forget() { napkin_curses_redraw() }

    /// Shows exactly `lines`; ncurses sends what differs from what is there.
    func draw(_ lines: [StyledLine]) {
        erase()
        for (row, line) in lines.enumerated() {
            guard move(Int32(row), 0) == OK else { break }
            for span in line.spans {
                napkin_attributes_set(
                    theme[span.role].attributes, theme == .plain ? 0 : span.role.pair)
                // Ends with ERR in the last cell of the screen, after it was written.
                addstr(span.text)
            }
        }
        napkin_attributes_set(0, 0)
        refresh()
    }

    /// The next key that is waiting; `nil` when none is.
    func readKey() -> CursesKey? {
        var code: wint_t = 0
        switch napkin_key_read(&code) {
        case 1: return .character(code)
        case 2: return .function(Int32(bitPattern: code))
        default: return nil
        }
    }
}

/// A key as ncurses reports it.
nonisolated enum CursesKey {
    case character(UInt32)
    case function(Int32)

    /// What it is for a view; `nil` for a key without a meaning here.
    var key: Key? {
        switch self {
        case .character(13), .character(10): .enter
        case .character(27): .escape
        case .character(8), .character(127): .backspace
        case .character(9): .tab
        case .character(let code) where (1...26).contains(code):
            .control(Character(Unicode.Scalar(UInt8(code) + 96)))
        case .character(let code):
            Unicode.Scalar(code).map { .character(Character($0)) }
        case .function(KEY_ENTER): .enter
        case .function(KEY_BACKSPACE): .backspace
        case .function(KEY_UP): .up
        case .function(KEY_DOWN): .down
        case .function(KEY_LEFT): .left
        case .function(KEY_RIGHT): .right
        case .function(KEY_PPAGE): .pageUp
        case .function(KEY_NPAGE): .pageDown
        case .function(KEY_HOME): .home
        case .function(KEY_END): .end
        case .function: nil
        }
    }
}

extension TextRole {
    /// The number of its colour pair; 0 is ncurses's own.
    fileprivate nonisolated var pair: Int16 {
        Int16(TextRole.allCases.firstIndex(of: self) ?? 0) + 1
    }
}

extension TerminalTheme.Look {
    /// As curs_attr(3X) has them.
    fileprivate nonisolated var attributes: attr_t {
        (isBold ? napkin_attribute_bold() : 0) | (isDim ? napkin_attribute_dim() : 0)
            | (isReversed ? napkin_attribute_reverse() : 0)
    }
}
