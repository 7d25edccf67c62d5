// TerminalScreen: a front on an interactive terminal.
//
// Layer      terminal, screen.
// Isolation  @MainActor: everything happens on the loop, there is no other thread.
// Ownership  owns the terminal between `open` and `close`; the front holds its surface weakly.
// Invariant  drawn at most once for each turn of the loop, however much has changed.

internal import Glibc
public import NapkinCore
public import NapkinFront
public import NapkinTransport

/// Shows a front with ncurses and turns keys into events.
public final class TerminalScreen: Flushable {
    private let front: Front
    private let component: TerminalComponent
    private let ended: (TerminalError?) -> Void
    private var bar: StatusBar
    private var curses: Curses?
    private var isClosed = false
    private var signals: [SignalWatcher] = []
    private var stop: SignalWatcher?
    private var input: DescriptorWatcher?
    private var offset = 0
    private var keys: [KeyBinding] = []
    private lazy var composer = ScreenComposer(
        send: { [weak self] node, method in self?.send(method, to: node) },
        select: { [weak self] tab, node in self?.select(tab, of: node) },
        redraw: { [weak self] in self?.setNeedsDraw() })

    /// Opens the terminal when the front has attached, so that a failure before that is plain text.
    ///
    /// - Parameter ended: called when the user or a signal ends the front, or with an error when
    ///   the terminal cannot be used; detach the front there, and close the screen.
    public init(
        front: Front, component: TerminalComponent, ended: @escaping (TerminalError?) -> Void
    ) {
        self.front = front
        self.component = component
        self.ended = ended
        bar = StatusBar(
            app: front.options.app, session: front.options.session ?? front.options.app,
            isReadOnly: front.options.isReadOnly)
        front.surface = self
    }

    private func quit() { ended(nil) }

    // MARK: - The terminal

    /// Enters the screen mode and begins to read keys.
    ///
    /// Throws when the type of terminal is unknown; nothing is changed then.
    private func open() throws(TerminalError) {
        do {
            // Before ncurses, which leaves signals alone that have a handler.
            for signal in [SIGINT, SIGTERM, SIGHUP, SIGQUIT] {
                signals.append(try SignalWatcher(signal) { [weak self] in self?.quit() })
            }
            signals.append(try SignalWatcher(SIGWINCH) { [weak self] in self?.resize() })
            try watchStop()
            let curses = try Curses(component)
            self.curses = curses
            input = try DescriptorWatcher(STDIN_FILENO) { [weak self] in self?.readKeys() }
            setNeedsDraw()
        } catch {
            close()
            throw (error as? TerminalError)
                ?? TerminalError(description: "the terminal cannot be read: \(error)")
        }
    }

    /// Leaves the screen mode for good, as exit(3) does, too. A second call changes nothing.
    public func close() {
        isClosed = true
        input?.cancel()
        input = nil
        for signal in signals { signal.cancel() }
        signals = []
        stop?.cancel()
        stop = nil
        curses?.leave()
        curses = nil
    }

    private func resize() {
        curses?.resize()
        setNeedsDraw()
    }

    private func watchStop() throws(TransportError) {
        stop = try SignalWatcher(SIGTSTP) { [weak self] in self?.suspend() }
    }

    /// Ctrl-Z: gives the terminal back, stops as any program does, and draws anew when continued.
    private func suspend() {
        guard let curses else { return }
        curses.leave()
        // Without its watcher the signal has its default action again, which in a process group
        // without a shell is nothing at all.
        stop?.cancel()
        stop = nil
        raise(SIGTSTP)
        do {
            try watchStop()
        } catch {
            bar.notice = "Ctrl-Z is not handled any more: \(error)"
        }
        curses.resize()
        setNeedsDraw()
    }

    // MARK: - Drawing

    /// Says for a while, until the next key, what went wrong.
    public func notify(_ notice: String) {
        bar.notice = notice
        setNeedsDraw()
    }

    private func setNeedsDraw() {
        guard curses != nil else { return }
        Loop.shared.scheduleFlush(self)
    }

    public func flush() {
        guard let curses else { return }
        let size = curses.size
        composer.schemas = front.schemas
        let composition = composer.compose(
            front.tree.root, width: size.width, height: size.height - ScreenPage.barLines)
        keys = composition.keys
        let page = ScreenPage(
            composition, bar: bar, keys: keys + [quitBinding], size: size, offset: offset)
        offset = page.offset
        curses.draw(page.lines)
    }

    /// A view may have a `q` of its own; Ctrl-C leads out always.
    private var quitBinding: KeyBinding {
        let isTaken = keys.contains { $0.key == .character("q") }
        return KeyBinding(isTaken ? .control("c") : .character("q"), "Quit") { [weak self] in
            self?.quit()
        }
    }

    // MARK: - Keys

    private func readKeys() {
        guard let curses else { return }
        var isSilent = true
        while let code = curses.readKey() {
            isSilent = false
            if let key = code.key { pressed(key) }
            // An action may have closed the screen.
            guard self.curses != nil else { return }
        }
        if isSilent, inputHasEnded { quit() }
    }

    /// Readable without a key: the terminal has gone away, and will be readable for ever.
    private var inputHasEnded: Bool {
        var descriptor = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
        guard poll(&descriptor, 1, 0) == 1 else { return false }
        return Int32(descriptor.revents) & (POLLHUP | POLLERR | POLLNVAL) != 0
    }

    private func pressed(_ key: Key) {
        if bar.notice != nil {
            bar.notice = nil
            setNeedsDraw()
        }
        if let binding = keys.binding(for: key) {
            offset = 0
            binding.action()
        } else if key == quitBinding.key || key == .control("c") {
            quit()
        } else {
            scroll(key)
        }
    }

    private func scroll(_ key: Key) {
        let page = max(1, (curses?.size.height ?? 0) - ScreenPage.barLines - 1)
        switch key {
        case .up: offset -= 1
        case .down: offset += 1
        case .pageUp: offset -= page
        case .pageDown, .character(" "): offset += page
        case .home: offset = 0
        case .control("l"): curses?.forget()
        default: return
        }
        setNeedsDraw()
    }

    private func send(_ method: MethodID, to node: UInt32) {
        request { (front) throws(RemoteFault) in
            _ = try await front.send(to: node, method) { (_) throws(CBORError) in }
        }
    }

    private func select(_ tab: String, of node: FrontNode) {
        request { (front) throws(RemoteFault) in try await front.select(tab: tab, of: node) }
    }

    /// Says what went wrong; that a view is gone already is what its key was pressed for.
    private func request(_ body: @escaping (Front) async throws(RemoteFault) -> Void) {
        dispatch { [weak self] in
            guard let self else { return }
            do throws(RemoteFault) {
                try await body(front)
            } catch  where error.code == .gone {
                setNeedsDraw()
            } catch {
                notify(error.message)
            }
        }
    }
}

extension TerminalScreen: Surface {
    public func front(_ front: Front, renamed session: String) {
        bar.session = session
        setNeedsDraw()
    }

    public func front(_ front: Front, applied changes: [FrontChange]) {
        bar.connection = .connected
        if curses == nil, !isClosed {
            do {
                try open()
            } catch {
                ended(error)
            }
        }
        setNeedsDraw()
    }

    public func front(
        _ front: Front, presented method: MethodID, of node: FrontNode, _ payload: Payload
    ) {
        setNeedsDraw()
    }

    public func front(
        _ front: Front, effect method: MethodID, of node: FrontNode, _ payload: Payload
    ) {
        setNeedsDraw()
    }

    public func front(_ front: Front, skippedStates states: Int, effects: Int) {
        let missed = effects == 0 ? "" : " and \(effects) effects"
        notify("the newest is shown; \(states) states\(missed) were skipped")
    }

    public func front(_ front: Front, disconnected reason: String) {
        bar.connection = .disconnected(since: component.timeOfDay(), reason: reason)
        setNeedsDraw()
    }

    public func front(
        _ front: Front, retriesAfter delay: Duration, because error: FrontError
    ) {
        bar.connection = bar.connection.retrying(because: error.message)
        setNeedsDraw()
    }

    public func front(_ front: Front, resumedLosing lost: Int) {
        bar.connection = .connected
        // A notice of before, "not connected", would be wrong now.
        bar.notice =
            switch lost {
            case 0: nil
            case 1: "1 event is in doubt"
            default: "\(lost) events are in doubt"
            }
        setNeedsDraw()
    }
}
