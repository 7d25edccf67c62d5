// Curses: the terminal in its screen mode, from `init` to `leave`.
//
// Isolation  @MainActor: no two threads may call ncurses.
// Ownership  the process has one terminal: one screen, and an exit handler that leaves it.
// Invariant  after `leave`, at exit(3) and in a crash, the terminal is as it was before.
// Spec       curs_initscr(3X), resizeterm(3X), curs_attr(3X), curs_mouse(3X)

internal import CNcurses
internal import Glibc
import NapkinCore
import NapkinElements

/// The reason why a terminal cannot be used.
package nonisolated struct TerminalError: Error, Sendable, CustomStringConvertible {
    /// A sentence that says what happened, and what to do.
    package let description: String
}

final class Curses {
    /// Milliseconds after which a lone Escape is a key and not the start of a sequence. Chosen:
    /// far above what a local terminal needs, below what a person notices.
    static let escapeMilliseconds: Int32 = 25

    /// The style of the roles; a new one appears with the next `draw`.
    var theme: TerminalTheme { didSet { if theme != oldValue { prepareColours() } } }
    /// The number of the terminal's colours; 0 if none are wanted.
    private let colours: Int
    /// The pairs of colours that programs have chosen.
    private var pairs: ConsolePairs
    /// Whether Ctrl-C and the like are keys instead of signals.
    var signalsAreKeys = false {
        didSet { if signalsAreKeys != oldValue { napkin_signals_are_keys(signalsAreKeys ? 1 : 0) } }
    }
    /// Whether the terminal was asked for its background colour, which decides the theme.
    let hasAsked: Bool

    init(_ component: TerminalComponent) throws(TerminalError) {
        CellWidth.prepare()
        let wanted = try component.theme()
        let direct = component.directType.flatMap { napkin_terminal_is_known($0) == 0 ? nil : $0 }
        guard napkin_curses_start(direct, Self.escapeMilliseconds) != 0 else {
            throw Self.unknownType(component)
        }
        atexit { napkin_curses_leave() }
        napkin_crash(0)
        curs_set(0)
        napkin_paste_brackets(1)
        if component.usesMouse { napkin_mouse_start() }
        let hasColours = wanted != .plain && has_colors() && start_color() == OK
        colours = hasColours ? Int(napkin_curses_colours()) : 0
        pairs = ConsolePairs(colours: colours)
        theme = hasColours ? wanted ?? (component.hasLightBackground ? .light : .dark) : .plain
        // Linux's console does not know the question.
        let canAsk =
            hasColours && wanted == nil && component.terminalType?.hasPrefix("linux") == false
        hasAsked = canAsk && napkin_background_ask() != 0
        if hasColours { use_default_colors() }
        prepareColours()
    }

    /// Gives each role the colours of the theme, and the screen its background.
    private func prepareColours() {
        guard colours > 0 else { return }
        let background = theme.background.map { number(.black, $0) } ?? -1
        for role in TextRole.allCases {
            let style = theme[role]
            init_extended_pair(Int32(role.pair), number(style.colour, style.rgb), background)
        }
        bkgd(theme.background == nil ? 32 : napkin_background(TextRole.plain.pair))
    }

    /// Returns the terminal's best colour: the exact one, the nearest of 256, or one of its own.
    private func number(_ colour: TerminalTheme.Colour, _ rgb: TerminalTheme.RGB?) -> Int32 {
        guard let rgb, colours >= 256 else { return Int32(colour.rawValue) }
        return Int32(colours == 1 << 24 ? rgb.number : rgb.nearest.number)
    }

    /// Throws if ncurses does not know the type of terminal, or there is no such theme. Changes
    /// nothing.
    static func verify(_ component: TerminalComponent) throws(TerminalError) {
        _ = try component.theme()
        guard napkin_terminal_is_known(nil) != 0 else { throw unknownType(component) }
    }

    private static func unknownType(_ component: TerminalComponent) -> TerminalError {
        let type = component.terminalType ?? ""
        return TerminalError(
            description: type.isEmpty
                ? "TERM is not set, so the terminal's type is unknown: set it, "
                    + "or use --plain"
                : "the terminal type \(type) is unknown here: set TERM to one that is known "
                    + "(xterm-256color), or use --plain")
    }

    func leave() { napkin_curses_leave() }

    var size: ScreenSize {
        ScreenSize(width: Int(napkin_curses_columns()), height: Int(napkin_curses_lines()))
    }

    /// Gives the screen the terminal's size, and redraws all of it at the next `draw`: terminals
    /// move and wrap their content when their size changes, each in its own way.
    ///
    /// It does not call resizeterm(3X), which also puts KEY_RESIZE into the input each time.
    func resize() {
        guard let size = ScreenSize.ofTerminal(STDOUT_FILENO) else { return }
        resize_term(Int32(clamping: size.height), Int32(clamping: size.width))
        forget()
    }

    /// Redraws the whole screen at the next `draw`: another program may have written on it.
    func forget() { napkin_curses_redraw() }

    /// Shows exactly `lines`, and the cursor if there is one; ncurses sends only the differences.
    func draw(_ lines: [StyledLine], caret: (x: Int, y: Int)? = nil) {
        erase()
        for (row, line) in lines.enumerated() {
            guard move(Int32(row), 0) == OK else { break }
            for span in line.spans {
                if let style = span.style {
                    napkin_attributes_set(style.attributes.curses, pairs.pair(for: style))
                } else {
                    napkin_attributes_set(
                        attributes(of: theme[span.role]), colours == 0 ? 0 : span.role.pair)
                }
                // Returns ERR in the last cell of the screen, after writing it.
                addstr(CellWidth.printable(span.text))
            }
        }
        napkin_attributes_set(0, 0)
        if let caret { move(Int32(clamping: caret.y), Int32(clamping: caret.x)) }
        curs_set(caret == nil ? 0 : 1)
        refresh()
    }

    /// Writes a sequence that changes nothing on the screen, if the terminal belongs to a family
    /// that does not show such sequences.
    func write(_ sequence: String) {
        let isPlain = sequence.utf8.allSatisfy { $0 == 7 }
        guard isPlain || napkin_terminal_is_modern() != 0 else { return }
        // If the terminal accepts nothing more, the sequence is of no use.
        var sequence = sequence
        _ = sequence.withUTF8 { Glibc.write(STDOUT_FILENO, $0.baseAddress, $0.count) }
    }

    /// Returns the attributes of curs_attr(3X). A grey text is not dimmed as well.
    private func attributes(of style: TerminalTheme.Style) -> attr_t {
        let isDim = style.isDim && (style.rgb == nil || colours < 256)
        return (style.isBold ? napkin_attribute_bold() : 0)
            | (isDim ? napkin_attribute_dim() : 0)
            | (style.isReversed ? napkin_attribute_reverse() : 0)
            | (style.isUnderlined ? napkin_attribute_underline() : 0)
    }

    /// Returns the next waiting key; `nil` if there is none.
    func readKey() -> CursesKey? {
        var code: wint_t = 0
        while true {
            switch napkin_key_read(&code) {
            case 1: return .character(code)
            case 2:
                if let key = special(Int32(bitPattern: code)) { return key }
            default: return nil
            }
        }
    }

    /// Decodes a key of many bytes; returns `nil` for mouse reports other than clicks.
    private func special(_ code: Int32) -> CursesKey? {
        switch code {
        case napkin_paste_begins(): return .pasteBegins
        case napkin_paste_ends(): return .pasteEnds
        case KEY_MOUSE:
            var (x, y): (Int32, Int32) = (0, 0)
            switch napkin_mouse_read(&x, &y) {
            case 1: return .click(x: Int(x), y: Int(y))
            case 2: return .wheel(x: Int(x), y: Int(y), lines: -Self.wheelLines)
            case 3: return .wheel(x: Int(x), y: Int(y), lines: Self.wheelLines)
            default: return nil
            }
        default: return .function(code)
        }
    }

    /// Lines that a notch of the wheel scrolls. Chosen: as in most programs.
    private static let wheelLines = 3

    /// Enters the screen mode again after the terminal was given back for a while.
    func enterAgain() {
        napkin_paste_brackets(1)
        signalsAreKeys = false
        resize()
    }
}

extension TextRole {
    /// The number of the role's colour pair; 0 is the default of ncurses.
    fileprivate nonisolated var pair: Int16 {
        Int16(TextRole.allCases.firstIndex(of: self) ?? 0) + 1
    }
}
