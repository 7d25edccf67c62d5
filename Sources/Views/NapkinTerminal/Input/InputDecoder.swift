// InputDecoder: turns ncurses reports into keys, clicks and pastes.
//
// Isolation  value; it reads and sends nothing itself.
// Invariant  keeps at most `FieldMemory.bytesMax` bytes of a paste; no part of a sequence is a key.
// Spec       curs_get_wch(3X), curs_mouse(3X); ECMA-48; bracketed paste: XTerm Control Sequences;
//            XTerm Control Sequences: OSC 11, and Primary Device Attributes (DA1). Every terminal
//            answers DA1, and in order: after that answer, none to OSC 11 can follow.

internal import CNcurses
import NapkinElements

/// An ncurses report.
nonisolated enum CursesKey: Equatable {
    case character(UInt32)
    case function(Int32)
    case click(x: Int, y: Int)
    case wheel(x: Int, y: Int, lines: Int)
    /// The brackets around a paste.
    case pasteBegins
    case pasteEnds

    /// The key that views see for the report; `nil` if there is none.
    var key: Key? {
        switch self {
        case .character(13), .character(10): .enter
        case .character(27): .escape
        case .character(8), .character(127): .backspace
        case .character(9): .tab
        case .character(let code) where (1...26).contains(code):
            .control(Character(Unicode.Scalar(UInt8(code) + 96)))
        case .character(let code) where (28...31).contains(code):
            .control(Character(Unicode.Scalar(UInt8(code) + 64)))
        case .character(let code) where code < 32: nil
        case .character(let code): Unicode.Scalar(code).map { .character(Character($0)) }
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

/// Reads ncurses reports until they form an input.
///
/// An Escape begins an ECMA-48 sequence (CSI, SS3, OSC, DCS or another string), which is read
/// to its end even if its meaning is unknown; or it is Alt, before a key; or it is itself a key.
nonisolated struct InputDecoder {
    /// The most characters kept of a sequence. Chosen: twice the longest known answer of a
    /// terminal.
    private static let sequenceMax = 128
    /// The wait after an Escape while an answer is expected, or after Alt with a key that may begin
    /// a sequence. Chosen: a delay of the line that a person does not notice.
    private static let escapePause = Duration.milliseconds(100)
    /// The wait after which an unfinished paste or sequence counts as ended. Chosen: longer than a
    /// usable line stalls, and shorter than a person waits before pressing more keys.
    private static let pause = Duration.seconds(2)

    /// Inputs that have been decoded and not yet returned.
    private var ready: [TerminalInput] = []
    /// The text of the current paste; `nil` outside the brackets.
    private var pasted: String?
    /// The characters since an Escape that may begin a sequence.
    private var sequence: String.UnicodeScalarView?
    var background = BackgroundQuestion()

    /// Returns the next input; `nil` if nothing more is waiting.
    ///
    /// - Parameter next: returns the next waiting report; `nil` if there is none.
    mutating func read(_ next: () -> CursesKey?) -> TerminalInput? {
        while ready.isEmpty, let report = next() { received(report) }
        return ready.isEmpty ? nil : ready.removeFirst()
    }

    /// The wait for the next report before ``paused()``; `nil` if no input is unfinished.
    var patience: Duration? {
        guard pasted == nil, let sequence, sequence.count < 2 else {
            return pasted == nil && sequence == nil ? nil : Self.pause
        }
        return sequence.isEmpty && !background.isOpen ? .zero : Self.escapePause
    }

    /// Ends the unfinished input after a wait without reports, so that it can be read.
    mutating func paused() {
        let begun = sequence.take()
        if let text = pasted.take() {
            ready.append(.paste(text))
        } else if let begun, begun.count < 2 {
            ready.append(.key(begun.first.map { .alt(Character($0)) } ?? .escape))
        }
    }

    private mutating func received(_ report: CursesKey) {
        guard case .character(let code) = report, let scalar = Unicode.Scalar(code) else {
            if let begun = sequence.take(), begun.isEmpty { escape() }
            return take(report)
        }
        if (0x80..<0xA0).contains(code) {
            // An 8-bit control stands for Escape and a 7-bit one.
            received(.character(0x1B))
            received(.character(code - 0x40))
        } else if let begun = sequence.take() {
            go(on: begun, with: scalar)
        } else if scalar == "\u{1B}" {
            sequence = "".unicodeScalars
        } else {
            take(report)
        }
    }

    private mutating func go(on begun: String.UnicodeScalarView, with scalar: Unicode.Scalar) {
        var whole = begun
        if whole.count < Self.sequenceMax || scalar == "\u{1B}" { whole.append(scalar) }
        let report = CursesKey.character(scalar.value)
        switch (begun.first, scalar) {
        case (nil, "["), (nil, "O"), (nil, "]"), (nil, "P"), (nil, "X"), (nil, "^"), (nil, "_"):
            sequence = whole
        case (nil, "!"..."~"), (nil, "\u{A0}"...):
            if pasted == nil { ready.append(.key(.alt(Character(scalar)))) } else { take(report) }
        case (nil, _):
            escape()
            received(report)
        // Linux's console sends F1 as `ESC [ [ A`.
        case ("[", "[") where begun.count == 1, ("[", " "..."?"), ("O", " "..."?"): sequence = whole
        case ("[", "@"..."~"), ("O", "@"..."~"): ended(whole)
        // Another report has cut the sequence off.
        case ("[", _), ("O", _): received(report)
        case (_, "\\") where begun.last == "\u{1B}": ended(begun.dropLast())
        case _ where begun.last == "\u{1B}":
            sequence = "".unicodeScalars
            received(report)
        case (_, "\u{7}"): ended(begun[...])
        case (_, "\u{8}"..."\r"), (_, "\u{1B}"), (_, " "...): sequence = whole
        default: received(report)
        }
    }

    private mutating func ended(_ sequence: some Sequence<Unicode.Scalar>) {
        switch String(String.UnicodeScalarView(sequence)) {
        // ncurses does not recognize these if they arrive in pieces.
        case "[200~": take(.pasteBegins)
        case "[201~": take(.pasteEnds)
        case let text: background.received(text)
        }
    }

    private mutating func escape() {
        if pasted == nil { ready.append(.key(.escape)) }
    }

    /// Handles a report that belongs to no sequence.
    private mutating func take(_ report: CursesKey) {
        switch report {
        case .pasteBegins: pasted = ""
        case .pasteEnds: if let text = pasted.take() { ready.append(.paste(text)) }
        case _ where pasted != nil: paste(report)
        case .click(let x, let y): ready.append(.click(x: x, y: y))
        case .wheel(let x, let y, let lines): ready.append(.wheel(x: x, y: y, lines: lines))
        default: if let key = report.key { ready.append(.key(key)) }
        }
    }

    private mutating func paste(_ report: CursesKey) {
        guard case .character(let code) = report, let scalar = Unicode.Scalar(code),
            let count = pasted?.utf8.count, count <= FieldMemory.bytesMax
        else { return }
        pasted?.unicodeScalars.append(scalar == "\r" ? "\n" : scalar)
    }
}

/// A terminal's answer to the question for its background colour.
nonisolated struct BackgroundQuestion {
    /// Whether answers may still come.
    private(set) var isOpen = false
    /// Whether the background is light; `nil` if the terminal has not answered.
    private(set) var isLight: Bool?

    /// Whether the screen can stop waiting: the answer has arrived, or none will.
    var isSettled: Bool { isLight != nil || !isOpen }

    mutating func ask() { isOpen = true }

    /// Checks a sequence for an answer; it comes without its Escape and its string terminator.
    mutating func received(_ sequence: String) {
        if sequence.hasPrefix("[?"), sequence.hasSuffix("c") { isOpen = false }
        if let colour = Self.colour(in: sequence) { isLight = colour.isLight }
    }

    /// Parses `]11;rgb:RRRR/GGGG/BBBB` with one to four digits per number; `rgba:` has a fourth.
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
