// TerminalWindow: the terminal while it shows successive contents.
//
// Ownership  owns the terminal between `open` and `close`; holds its content weakly.
// Invariant  drawn at most once in a turn of the loop, however much has changed.

internal import Glibc
import NapkinElements
import NapkinTransport

/// A window's content, which also receives a person's input.
protocol WindowContent: AnyObject {
    var route: InputRoute { get }
    /// Whether a value that the last drawing read has changed.
    var isDue: Bool { get }
    func page(_ size: ScreenSize) -> ScreenPage
    func handle(_ input: TerminalInput)
    /// A signal asks the program to end, or the terminal is gone.
    func quit()
    /// Something happened to the terminal that the person must know.
    func notify(_ notice: String)
}

extension WindowContent {
    /// Draws the changes of an input, for the input that follows.
    func drawIfNeeded() { if isDue || route.hasActed { _ = page(route.size) } }

    /// Whether letters are text at the moment.
    var takesText: Bool {
        drawIfNeeded()
        return route.takesText
    }

    /// Whether an element gets every key, including Ctrl-C and the like.
    var takesAllKeys: Bool { route.takesAllKeys }

    var focusedElement: String? { route.focus.current?.id }
}

/// The process's terminal. There is only one: ncurses cannot start twice.
package final class TerminalWindow: Flushable {
    package var isFlushScheduled = false
    private let component: TerminalComponent
    private let bell: TerminalBell
    private var curses: Curses?
    private var signals: [SignalWatcher] = []
    private var stop: SignalWatcher?
    private var input: DescriptorWatcher?
    private var decoder = InputDecoder()
    /// Reads again when an incomplete sequence has timed out, or in the next turn if more waits.
    private var later: LoopTimer?
    /// The number of reports read in one turn. Chosen: more than a terminal buffers for a program,
    /// and a few milliseconds.
    private static let reportsMax = 4096
    /// The deadline for the terminal's answer about its background; the first drawing waits for it.
    private var patience: LoopTimer?
    /// When the terminal was asked, and whether it answered with a light background.
    private var asked = ContinuousClock.now
    private var heard: Bool?
    /// How long the first drawing waits. Chosen: too short to be noticed; a terminal on this
    /// machine answers within a millisecond or two.
    private static let patienceMilliseconds = 100
    /// The number of letters that are inserted as one text when they arrive together. Chosen:
    /// nobody types so many at once.
    private static let lettersMin = 32
    weak var content: (any WindowContent)? {
        didSet { setNeedsDraw() }
    }

    /// Throws if the type of terminal, the theme or the bell is unknown. Changes nothing.
    package init(_ component: TerminalComponent) throws(TerminalError) {
        try Curses.verify(component)
        bell = try component.bell()
        self.component = component
    }

    package var isOpen: Bool { curses != nil }

    /// Enters the screen mode and begins to read keys; does nothing if it is open.
    ///
    /// Throws if the terminal cannot be used; nothing is changed then.
    package func open() throws(TerminalError) {
        guard curses == nil else { return }
        do {
            // Before ncurses starts, which keeps existing signal handlers.
            for signal in [SIGINT, SIGTERM, SIGHUP, SIGQUIT] {
                signals.append(try SignalWatcher(signal) { [weak self] in self?.quit(signal) })
            }
            signals.append(try SignalWatcher(SIGWINCH) { [weak self] in self?.resize() })
            try watchStop()
            let curses = try Curses(component)
            self.curses = curses
            input = try DescriptorWatcher(STDIN_FILENO) { [weak self] in self?.readKeys() }
            if curses.hasAsked { expectAnswer() }
            setNeedsDraw()
        } catch {
            close()
            throw (error as? TerminalError)
                ?? TerminalError(description: "the terminal cannot be read: \(error)")
        }
    }

    /// Delays drawing until the terminal has reported its background. If it is too late, the screen
    /// changes with the answer.
    private func expectAnswer() {
        decoder.background.ask()
        asked = .now
        patience = LoopTimer(after: .milliseconds(Self.patienceMilliseconds)) { [weak self] in
            // The answer may have arrived without this process having had time to read it.
            self?.readKeys()
            self?.patience = nil
            self?.setNeedsDraw()
        }
    }

    private func hearAnswer() {
        guard let curses, curses.hasAsked else { return }
        let answer = decoder.background
        if let isLight = answer.isLight { curses.theme = isLight ? .light : .dark }
        guard answer.isSettled, answer.isLight != heard || patience != nil else { return }
        heard = answer.isLight
        patience.take()?.cancel()
        setNeedsDraw()
    }

    /// Reads an answer that is still on its way, which would otherwise reach the shell as input.
    private func awaitAnswer() {
        guard decoder.background.isOpen, .now - asked < .seconds(1) else { return }
        var input = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
        var byte: UInt8 = 0
        guard poll(&input, 1, Int32(Self.patienceMilliseconds)) == 1,
            read(STDIN_FILENO, &byte, 1) == 1
        else { return }
        // Bytes that begin differently are keys that a person has typed ahead.
        if byte == 0x1B { tcflush(STDIN_FILENO, TCIFLUSH) }
    }

    /// Leaves the screen mode for good, as exit(3) also does. A second call changes nothing.
    package func close() {
        if curses != nil { awaitAnswer() }
        patience.take()?.cancel()
        later.take()?.cancel()
        input.take()?.cancel()
        for signal in signals { signal.cancel() }
        signals = []
        stop.take()?.cancel()
        curses?.leave()
        curses = nil
    }

    /// Between two contents nobody handles the signal: it has its default effect.
    private func quit(_ signal: Int32) {
        if let content { return content.quit() }
        close()
        raise(signal)
    }

    private func resize() {
        curses?.resize()
        setNeedsDraw()
    }

    private func watchStop() throws(TransportError) {
        stop = try SignalWatcher(SIGTSTP) { [weak self] in self?.suspend() }
    }

    /// Ctrl-Z: gives the terminal back, stops like any program, and redraws when continued.
    private func suspend() {
        giveBack {
            // Without its watcher the signal has its default action again, which does nothing in a
            // process group without a shell.
            stop.take()?.cancel()
            raise(SIGTSTP)
            do {
                try watchStop()
            } catch {
                content?.notify("Ctrl-Z is not handled any more: \(error)")
            }
        }
    }

    /// Gives the terminal back while `body` runs, which may replace the program; redraws when it
    /// returns.
    package func giveBack(during body: () -> Void) {
        awaitAnswer()
        curses?.leave()
        body()
        curses?.enterAgain()
        setNeedsDraw()
    }

    // MARK: - Drawing

    /// Draws the content at the end of this turn, if the window is open.
    func setNeedsDraw() {
        guard curses != nil else { return }
        Loop.shared.scheduleFlush(self)
    }

    package func flush() {
        guard patience == nil, let curses, let page = content?.page(curses.size) else { return }
        curses.draw(page.lines, caret: page.caret)
        curses.signalsAreKeys = content?.takesAllKeys == true
    }

    /// Calls for the person's attention, if the window is open.
    func ring(_ text: String, of app: String) {
        curses?.write(bell.bytes(for: text, of: app, inTmux: component.isInTmux))
    }

    // MARK: - Keys

    private func readKeys() {
        guard let curses else { return }
        later.take()?.cancel()
        var isSilent = true
        var left = Self.reportsMax
        let next = {
            left -= 1
            return left < 0 ? nil : curses.readKey()
        }
        while let input = decoder.read(next) {
            isSilent = false
            for input in gathered(input, next) {
                if input == .key(.control("l")), content?.takesAllKeys != true {
                    curses.forget()
                    setNeedsDraw()
                } else {
                    content?.handle(input)
                }
                // An action may have closed the window.
                guard self.curses != nil else { return }
            }
        }
        hearAnswer()
        if left < 0 {
            later = LoopTimer(after: .zero) { [weak self] in self?.readKeys() }
        } else if let patience = decoder.patience {
            later = LoopTimer(after: patience) { [weak self] in
                self?.decoder.paused()
                self?.readKeys()
            }
        }
        if isSilent, inputHasEnded { content?.quit() }
    }

    /// Returns an input joined with the letters that follow it in a text field. Otherwise each of
    /// many letters would cause a drawing.
    private func gathered(_ first: TerminalInput, _ next: () -> CursesKey?) -> [TerminalInput] {
        guard case .key(.character(let character)) = first, content?.takesText == true else {
            return [first]
        }
        var letters = [character]
        var other: TerminalInput?
        while letters.count < FieldMemory.bytesMax, other == nil, let input = decoder.read(next) {
            if case .key(.character(let character)) = input {
                letters.append(character)
            } else {
                other = input
            }
        }
        let inputs: [TerminalInput] =
            letters.count >= Self.lettersMin
            ? [.letters(String(letters))] : letters.map { .key(.character($0)) }
        return inputs + [other].compactMap(\.self)
    }

    /// Whether input is readable without a key: the terminal is gone, and stays readable forever.
    private var inputHasEnded: Bool {
        var descriptor = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
        guard poll(&descriptor, 1, 0) == 1 else { return false }
        return Int32(descriptor.revents) & (POLLHUP | POLLERR | POLLNVAL) != 0
    }
}
