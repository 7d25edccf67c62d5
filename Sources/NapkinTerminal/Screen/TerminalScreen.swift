// TerminalScreen: a front on an interactive terminal.
//
// Isolation  @MainActor: everything happens on the loop, there is no other thread.
// Ownership  the window is not its own; the front and the window hold this screen weakly.
//
// Plain text has no window: a `PlainScreen` draws what this one knows.

public import NapkinCore
public import NapkinElements
public import NapkinFront
public import NapkinProtocol
import NapkinTransport

/// Shows a front in a window, and passes a person's input to its `FrontScreen`.
public final class TerminalScreen: WindowContent {
    private let front: Front
    private let component: TerminalComponent
    private let ended: (TerminalError?) -> Void
    private let window: TerminalWindow?
    private let redraw: () -> Void
    private var isClosed = false
    /// Questions that were put to views of this front, which may leave them to the screen.
    private var asked: [UInt64: Question] = [:]
    /// When a question was last asked or ended: an event that waited for it took as long as a
    /// person.
    private var lastAsk: ContinuousClock.Instant?
    /// The epoch of the shown tree; a tree with another epoch was built by another worker.
    private var epoch: UInt32?
    private var countdown: LoopTimer?
    /// The notice that the worker was restarted.
    private var news: String?
    private(set) lazy var screen: FrontScreen = FrontScreen(
        bar: StatusBar(
            app: front.options.app, session: front.options.session ?? front.options.app,
            isReadOnly: front.options.isReadOnly),
        actions: FrontScreen.Actions(
            send: { [weak self] in
                guard let self else { return }
                screen.dialogs.send($2, as: $1, to: $0, of: self.front)
            },
            select: { [weak self] tab, node in
                guard let self else { return }
                screen.dialogs.select(tab, of: node, in: self.front)
            },
            answer: { [weak self] in self?.front.answer($0, $1) },
            quit: { [weak self] in self?.quit() },
            redraw: { [weak self] in self?.setNeedsDraw() }))

    /// Opens the window when the front has attached, so that a failure before that is plain text.
    ///
    /// - Parameters:
    ///   - front: the front that is shown; its surface is this screen from now on.
    ///   - component: what is known of the terminal.
    ///   - window: the window; its other content is no longer shown.
    ///   - list: a key that leads to other sessions.
    ///   - ended: called when the user or a signal ends the front, or with an error if the terminal
    ///     cannot be used; detach the front there, and close the screen.
    public convenience init(
        front: Front, component: TerminalComponent, in window: TerminalWindow,
        list: KeyBinding? = nil, ended: @escaping (TerminalError?) -> Void
    ) {
        self.init(
            front, component, in: window, redraw: { [weak window] in window?.setNeedsDraw() },
            ended: ended)
        front.timesEvents = true
        front.countsFronts = true
        screen.list = list
        window.content = self
    }

    /// Creates a screen that has a window, or none.
    init(
        _ front: Front, _ component: TerminalComponent, in window: TerminalWindow? = nil,
        redraw: @escaping () -> Void, ended: @escaping (TerminalError?) -> Void
    ) {
        self.front = front
        self.window = window
        self.component = component
        self.redraw = redraw
        self.ended = ended
        front.surface = self
        front.watchesWorker = true
    }

    /// Leaves the window to other content, or to be closed. A second call changes nothing.
    public func close() {
        isClosed = true
        countdown?.cancel()
        screen.close()
        if let window, window.content === self { window.content = nil }
    }

    /// Offers commands besides those of the session.
    package func offer(_ commands: [PaletteCommand]) { screen.programs = commands }

    /// Shows a text in a box over the screen, until a key closes it.
    package func show(_ title: String, _ text: (_ width: Int) -> String) {
        screen.show(title, text)
        setNeedsDraw()
    }

    // MARK: - WindowContent

    /// Shows an error for a while, at most until the next key.
    public func notify(_ notice: String) {
        screen.bar.notice = notice
        setNeedsDraw()
    }

    /// Shows why an event failed, unless what is shown already says so.
    public func notify(_ fault: RemoteFault) { screen.dialogs.failed(fault) }

    private func setNeedsDraw() { redraw() }

    func page(_ size: ScreenSize) -> ScreenPage { screen.draw(front.tree, front.schemas, size) }

    func handle(_ input: TerminalInput) { screen.handle(input) }

    var takesText: Bool { screen.takesText }

    func quit() { ended(nil) }
}

extension TerminalScreen: Surface {
    public func front(_ front: Front, renamed session: String) {
        screen.bar.session = session
        setNeedsDraw()
    }

    public func front(_ front: Front, counts fronts: Int) {
        screen.bar.fronts = fronts
        setNeedsDraw()
    }

    public func front(_ front: Front, eventTook duration: Duration) {
        if let lastAsk, lastAsk.duration(to: .now) < duration { return }
        screen.bar.roundTrip = duration
        setNeedsDraw()
    }

    public func front(_ front: Front, waits wait: FrontWait?) {
        screen.bar.wait = wait
        setNeedsDraw()
    }

    public func front(_ front: Front, applied changes: [FrontChange]) {
        screen.bar.connection = .connected
        if !isClosed {
            do {
                try window?.open()
            } catch {
                ended(error)
            }
        }
        setNeedsDraw()
    }

    public func front(
        _ front: Front, presented method: MethodID, of node: FrontNode, _ payload: Payload
    ) {
        screen.presented(method, of: node)
    }

    public func front(
        _ front: Front, appended items: LogItems, to method: MethodID, of node: FrontNode,
        after gap: LogGap?
    ) {
        screen.presented(method, of: node)
    }

    public func front(
        _ front: Front, effect method: MethodID, of node: FrontNode,
        _ payload: UnsafeRawBufferPointer
    ) {
        screen.effect(method, of: node, Payload(Array(payload)), at: component.timeOfDay())
    }

    public func front(
        _ front: Front, asks id: UInt64, _ method: MethodID, of node: FrontNode, _ payload: Payload
    ) {
        lastAsk = .now
        // A view of this front has been asked, and answers by itself.
        guard node.view == nil else {
            asked[id] = Question(id: id, node: node.id, method: method, payload: payload)
            return
        }
        screen.ask(id, method, of: node, payload, front.schemas)
    }

    public func front(_ front: Front, viewLeavesAsk id: UInt64) {
        guard let question = asked.removeValue(forKey: id),
            let node = front.tree.node(question.node)
        else { return }
        screen.ask(id, question.method, of: node, question.payload, front.schemas)
    }

    public func front(_ front: Front, askEnded id: UInt64) {
        asked[id] = nil
        lastAsk = .now
        screen.endAsk(id)
    }

    public func front(_ front: Front, skippedStates states: Int, effects: Int) {
        let missed = effects == 0 ? "" : " and \(effects) effects"
        notify("the newest state is shown; \(states) states\(missed) were skipped")
    }

    public func front(_ front: Front, disconnected reason: String) {
        screen.bar.connection = .disconnected(since: component.timeOfDay(), reason: reason)
        // The number is no longer known, and what was restarted has gone again.
        screen.bar.fronts = nil
        if screen.bar.notice == news { screen.bar.notice = nil }
        asked = [:]
        screen.connectionEnded()
    }

    public func front(
        _ front: Front, retriesAfter delay: Duration, because error: FrontError
    ) {
        screen.bar.connection = screen.bar.connection.retrying(because: error.message)
        count(down: delay)
    }

    /// Shows the time until the next try, second by second.
    private func count(down rest: Duration) {
        countdown?.cancel()
        countdown = nil
        let seconds = Int((rest / .seconds(1)).rounded(.up))
        screen.bar.connection = screen.bar.connection.retrying(in: rest < .seconds(1) ? 0 : seconds)
        setNeedsDraw()
        guard rest >= .seconds(1) else { return }
        countdown = LoopTimer(after: .seconds(1)) { [weak self] in
            self?.count(down: rest - .seconds(1))
        }
    }

    public func front(_ front: Front, attached: Attached) {
        countdown?.cancel()
        countdown = nil
        let isNew = epoch != nil && attached.epoch != epoch
        epoch = attached.epoch
        screen.bar.told(attached)
        if isNew { screen.sessionBeganAnew() }
        // An earlier notice, "not connected", would now be wrong.
        screen.bar.notice = isNew ? "the worker was restarted; the session starts over" : nil
    }

    public func front(_ front: Front, resumedLosing lost: Int) {
        screen.bar.connection = .connected
        screen.dialogs.resumed(front, losing: lost)
        news = screen.bar.notice
        setNeedsDraw()
    }
}
