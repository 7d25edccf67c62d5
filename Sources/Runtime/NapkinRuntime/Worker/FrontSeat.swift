// FrontSeat: one front of a session, as its worker serves it across connections: runs its events,
// and keeps their answers until they have arrived.
//
// Ownership  kept by its session while the front is connected or may come back, and by its events'
//            handlers.
// Spec       Protocol/SPEC.md, sections 8 (Flow control) and 9 (Resume)

import Glibc
import NapkinCoding
import NapkinCore
import NapkinLedger
package import NapkinProtocol
import NapkinTransport

/// One front of a session, connected or not.
@MainActor
package final class FrontSeat: FrontOutput {
    /// Reports fronts that send more events than their app allows, once in this many milliseconds.
    /// Chosen: as for slow handlers.
    static var eager = ReportPace(interval: 1000)

    let session: SessionHost
    // SAFETY: @exclusivity(unchecked), here and below: all access is on the main actor, and no
    // access spans a call of the session or of an encoder. The machine calls nobody.
    @exclusivity(unchecked) var machine: SeatStateMachine
    /// When the front's newest frame other than a ping arrived, in the loop's milliseconds.
    @exclusivity(unchecked) var heardAt: UInt64 = 0
    /// The session's number for the newest connection.
    private(set) var connection: UInt64 = 0
    /// Whether the front is among those to which the stage shows the tree.
    var isListed = false
    /// The front's identity on its newest connection, without its idle time and its speed.
    private(set) var identity: FrontInfo
    /// The front whose pages this one shows: itself, or the one that it mirrors.
    @exclusivity(unchecked) private(set) var audience: UInt64

    /// Events refused because of the front: unmounted nodes, no credit, read-only.
    @exclusivity(unchecked) package internal(set) var refusedEvents = 0
    /// The newest event's call, which the next event reuses if its handler has finished by then.
    @exclusivity(unchecked) var newestCall: EventCall?
    /// When the newest event's handler began, in the clock's nanoseconds; 0 once the handler has
    /// reached its first suspension.
    @exclusivity(unchecked) var newestBegan: UInt64 = 0
    /// The calls that were not answered at once, by event number.
    @exclusivity(unchecked) var running = SequenceTable<EventCall>()

    /// The page in which each event is noted.
    let flight = FlightRecorder.page

    /// The workflows of the current connection.
    private(set) var workflows = FrontWorkflows()

    init(_ id: UInt64, session: SessionHost) {
        self.session = session
        machine = SeatStateMachine(front: id, epoch: session.epoch, rate: session.eventRate)
        // Placeholder until the front attaches: only the worker's user has fronts here.
        identity = FrontInfo(front: id, client: "?", pid: 0, uid: geteuid())
        audience = id
        super.init(id, on: session.stage)
    }

    // MARK: - Connections

    /// Gives the front a connection, and closes its former one if that is still open.
    func take(_ link: Link, _ attach: Attach, connection: UInt64) {
        let former = self.link
        if former != nil { connectionEnded() }
        heardAt = link.heardAt
        self.connection = connection
        identity = FrontInfo(
            front: id, client: link.hello?.client ?? "?", pid: link.peer?.processID ?? 0,
            uid: link.peer?.userID ?? geteuid(), isReadOnly: attach.isObserver,
            mirrors: attach.mirrors)
        audience = attach.mirrors ?? id
        machine.attached(attach)
        workflows = FrontWorkflows()
        begin(on: link, takesDeltas: attach.takesDeltas == true)
        link.delegate = SeatReader(self, link)
        guard let former else { return }
        former.close()
        session.onFrontGone?()
    }

    /// Detaches the front: tells it why, and ends the workflows of its connection.
    func dismiss(_ refusal: Refusal) {
        workflows.connectionEnded(machine.workflows.connectionEnded())
        refuse(refusal)
    }

    private func connectionEnded() {
        newestHandled()
        newestCall = nil
        workflows.connectionEnded(machine.workflows.connectionEnded())
        stage.observer?.connectionEnded(connection)
    }

    /// Whether the front sees output for `recipient` alone; `nil` means all fronts.
    func shows(_ recipient: UInt64?) -> Bool { recipient == nil || recipient == audience }

    func linkWillFlush() {
        flush()
        stage.observer?.willFlush(self)
    }

    func linkEnded(_ link: Link) {
        guard self.link === link else { return }
        connectionEnded()
        self.link = nil
        machine.events.connectionEnded()
        session.frontLeft(self)
    }
}

extension FrontSeat {
    // MARK: - For tools

    var isAway: Bool { link == nil }
    var isAskable: Bool { machine.isAskable }

    /// The front as the app's features know it.
    var attached: AttachedFront {
        AttachedFront(
            id: id, client: identity.client, name: machine.attach.name, user: identity.uid,
            isReadOnly: identity.isReadOnly, isAskable: isAskable)
    }

    /// Whether the front wants to know the number of fronts.
    var countsFronts: Bool { machine.attach.countsFronts == true }

    package var info: FrontInfo {
        var info = identity
        guard let link else { return info }
        info.idleSeconds = Int((Loop.shared.now - heardAt) / 1000)
        info.isSlow = link.isSlow
        return info
    }

    package var droppedEffects: Int { output.droppedEffects }
    package var mergedStates: Int { output.mergedStates }

    /// The sizes of the front's queues and of the answers kept for it.
    var queues: SessionQueues.Front {
        var queues = SessionQueues.Front(front: id, isAway: isAway)
        queues.events = machine.events.runningEvents
        queues.answers = machine.events.keptAnswers
        queues.answerBytes = machine.events.keptAnswerBytes
        guard let link else { return queues }
        queues.effects = output.waitingEffects
        queues.states = output.waitingStates
        queues.orderedBytes = output.waitingOrderedBytes
        queues.socketBytes = link.pendingBytes
        queues.workflows = machine.workflows.count
        queues.mergedStates = mergedStates
        queues.droppedEffects = droppedEffects
        queues.refusedEvents = refusedEvents
        return queues
    }
}
