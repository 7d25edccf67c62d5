// SessionScreen: a session on any kind of screen: its page, dialogs, status and notice.
//
// Ownership  owns the dialogs and the views' state; the front has it as its surface, weakly.
// Invariant  paints nothing: its owner turns the page into cells, lines or HTML, and reports a
//            person's input.

internal import NapkinCoding
package import NapkinCore
package import NapkinFront
package import NapkinProtocol
internal import NapkinTransport

package class SessionScreen {
    /// How long a value counts as just changed. Chosen: long enough to find it.
    private static let changeTime: Duration = .seconds(2)

    package let front: Front
    private let component: FrontComponent
    package internal(set) var status: SessionStatus { didSet { redraw() } }
    /// Asks the painter for a drawing, at the end of this turn.
    package var redraw: () -> Void = {}
    /// Calls for the person's attention, with the text of the call.
    package var ring: (String) -> Void = { _ in }
    private var calls = CallMemory()
    /// Whether a value that the newest page read has changed.
    package private(set) var isDue = false
    private lazy var tracking = ReadTracking { [weak self] in self?.changed() }

    /// The epoch of the shown tree; a tree with another epoch was built by another worker.
    private var epoch: UInt32?
    /// Whether the next rebuilt tree is another worker's.
    private var isNewEpoch = false
    private var countdown: LoopTimer?
    /// Questions that were put to views of this front, which may leave them to the screen.
    private var asked: [UInt64: Question] = [:]
    /// When a question was last asked or ended: an event that waited for the answer took a person's
    /// time.
    private var lastAsk: ContinuousClock.Instant?
    /// The notice that the worker was restarted.
    private var news: String?
    /// When the shown tree last changed, and whether it has changed since it was last drawn.
    private var changedAt: String?
    private var hasChanged = false
    /// The events in doubt of a front that is back in a durable session, until its tree arrives.
    private var returning: Int?
    /// The time of the state to which a restart has led back, until the person does something.
    private var backAt: String?

    package private(set) lazy var notice = Notice { [weak self] in
        self?.later($0, $1)
    } changed: { [weak self] in
        self?.redraw()
    }
    package private(set) lazy var dialogs = SessionDialogs(self)
    package private(set) lazy var pages: PageComposer = {
        let pages = PageComposer(
            send: { [weak self] in self?.send($0, $1, $2) },
            select: { [weak self] in self?.select($0, $1) },
            redraw: { [weak self] in self?.changed() })
        pages.askArguments = { [weak self] in self?.dialogs.askArguments($0, $1, $2) }
        pages.changed = { [weak self] view in
            let change = view.change
            self?.later(Self.changeTime) { view.clearMarks(upTo: change) }
        }
        return pages
    }()

    /// - Parameters:
    ///   - front: the shown front; this becomes its surface.
    ///   - component: provides the time of day.
    package init(_ front: Front, _ component: FrontComponent) {
        (self.front, self.component) = (front, component)
        status = SessionStatus(of: front.options)
        front.surface = self
        front.watchesWorker = true
    }

    /// Ends the tasks of all views, which nobody sees any more.
    package func leave() {
        countdown?.cancel()
        pages.leave()
    }

    // MARK: - The page

    /// Whether there is something to show yet.
    package var isReady: Bool { front.tree.root != nil }

    private func changed() {
        guard !isDue else { return }
        isDue = true
        redraw()
    }

    /// Follows the tree, before a page is drawn. If another worker has built it, returns, once, the
    /// new numbers of the nodes that it still contains.
    @discardableResult
    package func follow() -> [UInt32: UInt32]? {
        let numbers = pages.follow(front.tree, isNewEpoch: isNewEpoch)
        dialogs.follow(isRebuilt: numbers != nil, isNewEpoch: isNewEpoch)
        guard isNewEpoch, numbers != nil else { return nil }
        isNewEpoch = false
        return numbers
    }

    /// Composes and paints the page. A change of any value that this read asks for another drawing.
    ///
    /// - Parameter isLinear: whether the page becomes plain text.
    package func draw<Drawing>(
        isLinear: Bool = false, _ paint: (RenderedPage) -> Drawing
    ) -> Drawing {
        isDue = false
        if hasChanged { changedAt = component.timeOfDay() }
        hasChanged = false
        defer {
            pages.finish()
            pages.notePaths(in: front.tree)
        }
        return tracking.during {
            var page = pages.compose(front.tree.root, dialog: dialogs.shown, isLinear: isLinear)
            page.keys += dialogs.keys
            for text in calls.hear(page.calls) { ring(text) }
            return paint(page)
        }
    }

    package func commands(besides page: RenderedPage? = nil) -> [PaletteCommand] {
        pages.commands(of: front.tree.root, besides: page)
    }

    /// Notes that a person has done something, and has therefore read the notice.
    package func personActed() {
        notice.say(nil)
        backAt = nil
        dialogs.personActed()
    }

    /// Runs a closure after a delay.
    func later(_ delay: Duration, _ action: @escaping @MainActor @Sendable () -> Void) {
        _ = LoopTimer(after: delay, action)
    }

    // MARK: - A person's requests

    /// Sends an event of a form or of a page, and updates its form according to the outcome.
    func send(_ node: UInt32, _ method: MethodID, _ payload: Payload) {
        request { [weak self, front] () throws(RemoteFault) in
            do throws(RemoteFault) {
                _ = try await front.send(to: node, method) { (writer) throws(CBORError) in
                    writer.append(payload.bytes)
                }
                self?.dialogs.eventEnded(method, of: node)
            } catch {
                // Nobody knows whether an event of unknown outcome must be sent again.
                if error.code == .unknown {
                    self?.dialogs.eventEnded(method, of: node)
                } else {
                    self?.dialogs.eventFailed(method, of: node)
                }
                throw error
            }
        }
    }

    func select(_ tab: String, _ node: FrontNode) {
        request { [front] () throws(RemoteFault) in try await front.select(tab: tab, of: node) }
    }

    func answer(_ ask: UInt64, _ payload: Payload) { front.answer(ask, payload) }

    private func request(_ body: @escaping () async throws(RemoteFault) -> Void) {
        dispatch { [weak self] in
            do throws(RemoteFault) {
                try await body()
            } catch {
                self?.failed(error)
            }
        }
    }

    /// Reports a failed request. Shows nothing if the view is already gone, as its key intended, or
    /// if the outcome is unknown and a notice is shown: it counts such events and must stay.
    func failed(_ fault: RemoteFault) {
        let isTold = fault.code == .unknown && notice.text != nil
        if fault.code == .gone || isTold { return redraw() }
        notice.say(fault.message)
    }
}

extension SessionScreen: Surface {
    package func front(_ front: Front, attached: Attached) {
        countdown?.cancel()
        let isNew = epoch != attached.epoch
        let isOther = isNew && epoch != nil
        epoch = attached.epoch
        if isOther { epochChanged() }
        // The earlier notice, "not connected", would now be wrong.
        notice.say(isOther ? "the worker was restarted; the session starts over" : nil)
        guard isNew, let receipt = attached.takenBack else { return }
        let news = "newer changes were set aside (receipt \(receipt)); you are back before them"
        notice.say(news)
        dialogs.keep(receipt, saying: news, .rolledBack)
    }

    /// Marks the next tree as another worker's: paths in the former tree mean nothing in it.
    func epochChanged() { isNewEpoch = true }

    package func front(_ front: Front, resumedLosing lost: Int) {
        status.connection = .connected
        let isKept = notice.text == nil && front.attached?.durability != nil
        returning = isKept && front.workerDeath != nil ? lost : nil
        tellReturn(notice.text, losing: lost)
    }

    /// Reports why the front was away, and the consequence.
    private func tellReturn(_ start: String?, losing lost: Int) {
        let doubt = lost == 1 ? "1 event is in doubt" : "\(lost) events are in doubt"
        let death = front.workerDeath.map { ": \($0)" }
        let start = start ?? death.map { _ in "the worker was restarted" }
        let parts = [start, place, lost > 0 ? doubt : nil].compactMap(\.self)
        if !parts.isEmpty { notice.say(parts.joined(separator: "; ") + (death ?? "")) }
        news = notice.text
        if let news, let receipt = front.workerReceipt, receipt != front.attached?.takenBack {
            dialogs.keep(receipt, saying: news, .restart)
        }
    }

    package func front(_ front: Front, disconnected reason: String) {
        status.connection = .disconnected(since: component.timeOfDay(), reason: reason)
        // The number is no longer known, and the restarted worker is gone again.
        status.fronts = nil
        if notice.text == news { notice.say(nil) }
        backAt = nil
        asked = [:]
        dialogs.connectionEnded()
    }

    package func front(_ front: Front, retriesAfter delay: Duration, because error: FrontError) {
        status.connection = status.connection.retrying(because: error.message)
        count(down: delay)
    }

    /// Shows the time until the next try, second by second.
    private func count(down rest: Duration) {
        countdown?.cancel()
        let seconds = Int((rest / .seconds(1)).rounded(.up))
        status.connection = status.connection.retrying(in: rest < .seconds(1) ? 0 : seconds)
        guard rest >= .seconds(1) else { return }
        countdown = LoopTimer(after: .seconds(1)) { [weak self] in
            self?.count(down: rest - .seconds(1))
        }
    }

    // MARK: - Display

    package func front(_ front: Front, applied changes: [TreeChange]) {
        pages.schemas = front.schemas
        status.durability = SessionStatus.durability(of: front.attached)
        status.connection = .connected
        if let lost = returning.take(), let changedAt, case .unmounted(let former)? = changes.first,
            front.tree.root?.isShown(like: former) == true
        {
            backAt = changedAt
            return tellReturn(nil, losing: lost)
        }
        hasChanged = true
    }

    package func front(
        _ front: Front, presented method: MethodID, of node: FrontNode, _ payload: Payload
    ) {
        presented(method, of: node)
    }

    package func front(
        _ front: Front, appended items: LogItems, to method: MethodID, of node: FrontNode,
        after gap: LogGap?
    ) {
        presented(method, of: node)
    }

    /// Marks a node's new state or log items for drawing; its view, if any, has received them.
    func presented(_ method: MethodID, of node: FrontNode) {
        hasChanged = true
        if node.isDrawn(from: method) { redraw() }
    }

    package func front(
        _ front: Front, effect method: MethodID, of node: FrontNode,
        _ payload: UnsafeRawBufferPointer
    ) {
        guard !node.hasView else { return }
        pages.generic(of: node).add(
            effect: method, Payload(Array(payload)), at: component.timeOfDay())
        redraw()
    }

    package func front(_ front: Front, skippedStates states: Int, effects: Int) {
        let missed = effects == 0 ? "" : " and \(effects) effects"
        notice.say("the newest state is shown; \(states) states\(missed) were skipped")
    }

    package func front(_ front: Front, renamed session: String) { status.session = session }

    package func front(_ front: Front, counts fronts: Int) { status.fronts = fronts }

    package func front(_ front: Front, waits wait: FrontWait?) { status.wait = wait }

    package func front(_ front: Front, eventTook duration: Duration) {
        if let lastAsk, lastAsk.duration(to: .now) < duration { return }
        status.roundTrip = duration
    }

    package func front(
        _ front: Front, failedToSend method: MethodID, to node: UInt32, _ fault: RemoteFault
    ) {
        failed(fault)
    }

    package func front(_ front: Front, setAside fault: RemoteFault) {
        let news = [fault.message, place].compactMap(\.self).joined(separator: "; ")
        notice.say(news)
        if let receipt = fault.receipt { dialogs.keep(receipt, saying: news, .setAside) }
    }

    private var place: String? { backAt.map { "you are back at \($0)" } }

    // MARK: - Questions

    package func front(
        _ front: Front, asks id: UInt64, _ method: MethodID, of node: FrontNode, _ payload: Payload
    ) {
        lastAsk = .now
        let question = Question(id: id, node: node.id, method: method, payload: payload)
        // The view of this front has been asked, and answers itself.
        if node.view == nil { dialogs.ask(question, of: node) } else { asked[id] = question }
    }

    package func front(_ front: Front, viewLeavesAsk id: UInt64) {
        guard let question = asked.removeValue(forKey: id),
            let node = front.tree.node(question.node)
        else { return }
        dialogs.ask(question, of: node)
    }

    package func front(_ front: Front, askEnded id: UInt64, answeredBy: String?) {
        asked[id] = nil
        lastAsk = .now
        dialogs.endAsk(id, answeredBy: answeredBy)
    }
}
