// SessionLedger: records what one session changes, stretch by stretch, and gives it back.
//
// Layer      ledger.
// Isolation  @MainActor: the loop thread.
// Ownership  owned by its session; its tree's routers keep it while they are attached.
// Invariant  `image` is what is recorded, in memory: after a stretch has ended, every durable state
//            is in it as it is in its interactor.
// Spec       Protocol/LEDGER.md

package import NapkinCoding
package import NapkinCore
import NapkinTransport

/// The ledger of one session.
///
/// It is dormant, and costs nothing, until a router comes whose interactor is durable.
@MainActor
package final class SessionLedger: TreeRecorder {
    /// An event, for which a handler runs.
    package struct Event: Equatable {
        package var front: UInt64
        package var sequence: UInt64
        package var node: UInt32
        package var method: UInt32

        package init(front: UInt64, sequence: UInt64, node: UInt32, method: UInt32) {
            self.front = front
            self.sequence = sequence
            self.node = node
            self.method = method
        }
    }

    /// What the ledger asks of its session.
    package struct Session {
        /// The event of this session whose handler the running task is at.
        package var currentEvent: @MainActor () -> Event?
        /// The fronts that the session knows, with the newest event of each.
        package var fronts: @MainActor () -> [(front: UInt64, started: UInt64)]
        /// The root of the tree, which may be growing.
        package var root: @MainActor () -> RouterCore?
        /// The signature of a feature's method.
        package var method: @MainActor (FeatureID, UInt32) -> String
        /// The effects are dropped that these frames announce, which have not been sent.
        package var withdraw: @MainActor ([[UInt8]]) -> Void
        /// What the session has sent depends on the journal from now on.
        package var awoke: @MainActor () -> Void

        package init(
            currentEvent: @escaping @MainActor () -> Event?,
            fronts: @escaping @MainActor () -> [(front: UInt64, started: UInt64)],
            root: @escaping @MainActor () -> RouterCore?,
            method: @escaping @MainActor (FeatureID, UInt32) -> String,
            withdraw: @escaping @MainActor ([[UInt8]]) -> Void,
            awoke: @escaping @MainActor () -> Void
        ) {
            self.currentEvent = currentEvent
            self.fronts = fronts
            self.root = root
            self.method = method
            self.withdraw = withdraw
            self.awoke = awoke
        }
    }

    package let journal: Journal
    package var session: Session?
    // SAFETY: @exclusivity(unchecked), here and below: all access is on the main actor, and no
    // access spans a call of an interactor, a node or the session.
    @exclusivity(unchecked) package private(set) var image: SessionImage
    /// Whether nothing durable has come so far.
    @exclusivity(unchecked) package private(set) var isDormant: Bool
    /// The durable routers that are attached.
    @exclusivity(unchecked) private var members: [UInt32: RouterCore] = [:]
    /// Recorded routers that have not been attached again.
    private var missing: Set<UInt32> = []
    /// The events that were begun when the worker died.
    package let interrupted: [BegunEvent]
    /// Why the session is not restored, if it is not.
    package private(set) var defect: RestoreDefect?
    @exclusivity(unchecked) private var stretch: Stretch?
    /// Whether nothing is recorded any more: the tree is being shut down.
    private var isClosed = false
    /// What the image takes in the store, roughly.
    private(set) var imageBytes = 0

    /// The changes between two suspensions.
    private struct Stretch {
        /// The routers whose interactors' states have changed, in that order.
        var changed: [UInt32] = []
        var attached: [UInt32] = []
        /// States that are encoded already.
        var encoded: [UInt32: [UInt8]] = [:]
        /// Whether a handler has thrown after it had changed something.
        var hasFailed = false
        var marks: [UInt32: FeatureNode.Mark] = [:]
        var effects: [(number: UInt32, frame: [UInt8])] = []
        var event: Event?
        var record: Record
    }

    /// Creates the ledger of a new session.
    package init(journal: Journal, name: String, id: String, epoch: UInt32) {
        self.journal = journal
        image = SessionImage(session: 0, title: SessionTitle(name: name, id: id, epoch: epoch))
        interrupted = []
        isDormant = true
    }

    /// Creates the ledger of a session that is stored.
    package init(journal: Journal, restoring image: SessionImage) {
        self.journal = journal
        self.image = image
        isDormant = false
        missing = Set(image.nodes.map(\.place.number))
        interrupted = image.fronts.flatMap(\.begun)
    }

    /// Whether messages are held back until the stretch has ended.
    package var isInStretch: Bool { stretch != nil }

    /// Returns a number that no router of the session has had.
    package func makeNumber() -> UInt32 {
        image.newestNode += 1
        return image.newestNode
    }

    // MARK: - The tree

    package func entered(
        _ router: RouterCore, under parent: UInt32
    ) -> (number: UInt32, isRestored: Bool) {
        if isDormant, router.durable != nil { awake(before: router) }
        let place = AttachedNode(
            number: 0, parent: parent, slot: router.slot, feature: router.feature.rawValue,
            arguments: router.arguments.bytes, front: router.ownFront)
        if let number = recorded(at: place) {
            missing.remove(number)
            if router.durable != nil { members[number] = router }
            restore(router, number)
            return (number, true)
        }
        let number = makeNumber()
        if !isDormant { attach(router, place, as: number) }
        return (number, false)
    }

    private func recorded(at place: AttachedNode) -> UInt32? {
        guard !missing.isEmpty else { return nil }
        return image.nodes.first { node in
            var other = node.place
            guard missing.contains(other.number) else { return false }
            other.number = 0
            return other == place
        }?.place.number
    }

    private func restore(_ router: RouterCore, _ number: UInt32) {
        guard let durable = router.durable, let index = image.index(of: number),
            let state = image.nodes[index].state
        else { return }
        do throws(CBORError) {
            try durable.replaceState(with: Payload(state))
        } catch {
            defect = defect ?? RestoreDefect(feature: router.feature, error: error)
            // Nothing of what is stored is to be replaced by what the interactor began with.
            close()
        }
    }

    private func attach(_ router: RouterCore, _ place: AttachedNode, as number: UInt32) {
        guard !isClosed else { return }
        open()
        var place = place
        place.number = number
        stretch?.record.attached = (stretch?.record.attached ?? []) + [place]
        guard router.durable != nil else { return }
        members[number] = router
        stretch?.attached.append(number)
        stretch?.changed.append(number)
    }

    package func left(_ number: UInt32) {
        guard !isDormant, !isClosed else { return }
        open()
        stretch?.record.detached = (stretch?.record.detached ?? []) + [number]
    }

    package func missingChildren(of number: UInt32) -> [(slot: String, arguments: Payload)] {
        image.nodes.filter {
            $0.place.parent == number && $0.place.front == nil && missing.contains($0.place.number)
        }.map { ($0.place.slot, Payload($0.place.arguments)) }
    }

    package func interruptedEvents(of number: UInt32) -> [InterruptedEvent] {
        guard let index = image.index(of: number) else { return [] }
        let feature = FeatureID(rawValue: image.nodes[index].place.feature)
        return interrupted.filter { $0.node == number }.map { event in
            InterruptedEvent(method: session?.method(feature, event.method) ?? "?")
        }
    }

    /// A durable router comes: from now on the session is kept, with all that it has already.
    private func awake(before newcomer: RouterCore) {
        isDormant = false
        image.session = journal.begin(image.title.name)
        open()
        stretch?.record.title = image.title
        stretch?.record.fronts = session?.fronts().map {
            FrontChange(front: $0.front, started: $0.started)
        }
        if let root = session?.root(), root !== newcomer { enter(root, before: newcomer) }
        session?.awoke()
    }

    private func enter(_ router: RouterCore, before newcomer: RouterCore) {
        guard router !== newcomer, router.number != 0 else { return }
        let place = AttachedNode(
            number: 0, parent: router.parentNumber, slot: router.slot,
            feature: router.feature.rawValue, arguments: router.arguments.bytes,
            front: router.ownFront)
        attach(router, place, as: router.number)
        for child in router.childCores { enter(child, before: newcomer) }
    }

    // MARK: - Stretches

    package func stateChanged(of number: UInt32) {
        guard let member = members[number], !isClosed else { return }
        open()
        mark(member)
        stretch?.encoded[number] = nil
        if stretch?.changed.contains(number) == false { stretch?.changed.append(number) }
    }

    package func willPresent(from number: UInt32) {
        guard let member = members[number], !isClosed else { return }
        open()
        mark(member)
    }

    /// A durable router has presented an effect, whose frame waits for the end of the stretch.
    package func presented(effect frame: [UInt8], from number: UInt32) {
        guard members[number] != nil else { return }
        stretch?.effects.append((number, frame))
    }

    private func mark(_ member: RouterCore) {
        guard let node = member.node, stretch?.marks[member.number] == nil else { return }
        stretch?.marks[member.number] = node.mark()
    }

    private func open() {
        guard stretch == nil else { return }
        stretch = Stretch(event: session?.currentEvent(), record: Record(session: image.session))
        Loop.shared.whenJobEnds { [weak self] in self?.endStretch() }
    }

    /// A handler is about to be started, or has been and has suspended or ended.
    package func handlerReturned() {
        if !Loop.shared.isInJob { endStretch() }
    }

    /// What has changed since the last suspension belongs together.
    package func endStretch() {
        guard var stretch else { return }
        collectStates(&stretch)
        self.stretch = nil
        listen(stretch)
        if let event = stretch.event, !stretch.record.isEmpty, !isAnswered(event, in: stretch) {
            stretch.record.begun = [
                BegunEvent(
                    front: event.front, sequence: event.sequence, node: event.node,
                    method: event.method)
            ]
        }
        commit(stretch.record)
    }

    private func isAnswered(_ event: Event, in stretch: Stretch) -> Bool {
        stretch.record.answers?.contains {
            $0.front == event.front && $0.sequence == event.sequence
        } == true
    }

    private func listen(_ stretch: Stretch) {
        for number in stretch.changed + stretch.marks.keys {
            members[number]?.durable?.durability.listen()
        }
    }

    /// Adds the new states to the record. A state that cannot be encoded is what it was.
    private func collectStates(_ stretch: inout Stretch) {
        var changes: [StateChange] = []
        for number in stretch.changed {
            guard let member = members[number], let durable = member.durable else { continue }
            do throws(CBORError) {
                let known = stretch.encoded[number]
                let bytes = if let known { known } else { try durable.encodedState().bytes }
                if let change = change(of: number, to: bytes) { changes.append(change) }
            } catch {
                Anomaly.report(.unwritableState(feature: member.feature, error))
                takeBack([number], stretch)
            }
        }
        if !changes.isEmpty { stretch.record.states = changes }
    }

    private func change(of number: UInt32, to new: [UInt8]) -> StateChange? {
        let old = image.index(of: number).flatMap { image.nodes[$0].state }
        guard let old else { return StateChange(number: number, whole: new) }
        if old == new { return nil }
        if let delta = CBORDelta.encoded(from: old, to: new) {
            return StateChange(number: number, delta: delta)
        }
        return StateChange(number: number, whole: new)
    }

    private func commit(_ record: Record) {
        guard !record.isEmpty, !isClosed else { return }
        do throws(ImageError) {
            try image.apply(record)
        } catch {
            preconditionFailure("a record that its own image refuses: \(error)")
        }
        if record.detached != nil {
            members = members.filter { image.index(of: $0.key) != nil }
            missing = missing.filter { image.index(of: $0) != nil }
        }
        journal.append(record, of: self, isImageDue: record.title != nil)
    }

    // MARK: - Events

    /// Whether the answer of an event must be recorded, for it has changed something.
    package func mustRecord(_ front: UInt64, _ sequence: UInt64) -> Bool {
        if isDormant || isClosed { return false }
        if let stretch, stretch.hasFailed || !stretch.changed.isEmpty || !stretch.record.isEmpty {
            return true
        }
        let known = image.fronts.first { $0.front == front }
        return known?.begun.contains { $0.sequence == sequence } == true
    }

    /// A handler has returned. Throws `CBORError` if a state that it has changed cannot be
    /// recorded: the handler has failed then.
    package func handlerSucceeded() throws(CBORError) {
        guard let stretch else { return }
        for number in stretch.changed where stretch.encoded[number] == nil {
            guard let durable = members[number]?.durable else { continue }
            self.stretch?.encoded[number] = try durable.encodedState().bytes
            // A later change replaces what was encoded.
            durable.durability.listen()
        }
    }

    /// An event has been answered with this frame.
    package func answered(_ front: UInt64, _ sequence: UInt64, _ frame: [UInt8]) {
        let answer = EventAnswer(front: front, sequence: sequence, frame: frame)
        guard stretch != nil else {
            var record = Record(session: image.session)
            record.answers = [answer]
            return commit(record)
        }
        stretch?.record.answers = (stretch?.record.answers ?? []) + [answer]
    }

    /// A handler has thrown: what it has changed since the last suspension is what it was. What it
    /// has attached stays.
    package func handlerFailed() {
        guard let stretch, !stretch.changed.isEmpty else { return }
        self.stretch?.hasFailed = true
        takeBack(stretch.changed.filter { !stretch.attached.contains($0) }, stretch)
        self.stretch?.changed = stretch.attached
    }

    private func takeBack(_ numbers: [UInt32], _ stretch: Stretch) {
        for number in numbers {
            guard let member = members[number], let durable = member.durable,
                let state = image.index(of: number).flatMap({ image.nodes[$0].state })
            else { continue }
            do throws(CBORError) {
                try durable.replaceState(with: Payload(state))
            } catch {
                // What the interactor has now is neither the old state nor one that was recorded.
                journal.abandon(RestoreDefect(feature: member.feature, error: error))
            }
            if let mark = stretch.marks[number] { member.node?.reset(to: mark) }
        }
        let dropped = stretch.effects.filter { numbers.contains($0.number) }.map(\.frame)
        if !dropped.isEmpty { session?.withdraw(dropped) }
        self.stretch?.effects.removeAll { numbers.contains($0.number) }
    }

    // MARK: - Fronts and the session's end

    package func frontJoined(_ front: UInt64) {
        note(FrontChange(front: front, started: 0))
    }

    package func frontForgotten(_ front: UInt64) {
        guard image.fronts.contains(where: { $0.front == front }) else { return }
        let pages = image.nodes.map(\.place).filter {
            $0.front == front && missing.contains($0.number)
        }
        note(FrontChange(front: front), detaching: pages.map(\.number))
    }

    private func note(_ change: FrontChange, detaching pages: [UInt32] = []) {
        guard !isDormant else { return }
        var record = Record(session: image.session)
        record.fronts = [change]
        if !pages.isEmpty { record.detached = pages }
        commit(record)
    }

    /// The front has confirmed answers, so that only those of these events may be asked for again.
    package func confirmed(by front: UInt64, keeping events: (UInt64) -> Bool) {
        guard let index = image.fronts.firstIndex(where: { $0.front == front }) else { return }
        image.fronts[index].confirm { !events($0) }
    }

    package func renamed(to name: String) {
        let former = image.title.name
        image.title.name = name
        guard !isDormant else { return }
        journal.rename(former, to: name)
        var record = Record(session: image.session)
        record.title = image.title
        commit(record)
    }

    /// Records nothing more: the session goes on in its next worker as it is recorded now.
    package func close() {
        endStretch()
        isClosed = true
    }

    /// The image as of a group; `nil` if it cannot be encoded.
    func storedImage(at group: GroupNumber) -> StoredImage? {
        do throws(CBORError) {
            let bytes = try image.encoded()
            imageBytes = bytes.count
            return StoredImage(
                session: image.session, name: image.title.name, base: group, bytes: bytes)
        } catch {
            Anomaly.report(.unwritableState(feature: "the session's image", error))
            return nil
        }
    }
}

/// Why a session cannot be restored. What is stored of it is kept.
package struct RestoreDefect: Error, Equatable, Sendable, CustomStringConvertible {
    package var feature: FeatureID
    package var error: CBORError

    package var description: String {
        "the recorded state of \(feature) cannot be read by this version of the app: "
            + "\(error.detail)"
    }
}
