// SessionLedger+Stretches: what changes between two suspensions becomes one record, or is taken
// back.
//
// Layer      ledger.
// Isolation  @MainActor: the loop thread.
// Spec       Protocol/LEDGER.md

import NapkinCoding
package import NapkinCore
import NapkinTransport

extension SessionLedger {
    /// The changes between two suspensions.
    struct Stretch {
        /// The routers whose interactors' states have changed, in that order.
        var changed: [UInt32] = []
        var attached: [UInt32] = []
        /// States that are encoded already.
        var encoded: [(number: UInt32, bytes: [UInt8])] = []
        /// Whether a handler has thrown after it had changed something.
        var hasFailed = false
        var marks: [UInt32: FeatureNode.Mark] = [:]
        /// The logs that have grown.
        var logs: [(node: FeatureNode, method: MethodID)] = []
        var effects: [(number: UInt32, frame: [UInt8])] = []
        var input: Input?
        /// The inputs of the session's own whose handlers have ended.
        var ended: [OwnInput] = []
        var requests = Requests()
        var record: Record

        /// Whether there is something to record.
        var isNews: Bool { hasFailed || !changed.isEmpty || !record.isEmpty }
    }

    package func stateChanged(of number: UInt32) {
        guard let member = members[number], !isClosed else { return }
        open()
        if stretch?.input == nil { stretch?.input = runningInput }
        mark(member)
        stretch?.encoded.removeAll { $0.number == number }
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

    @discardableResult
    package func logGrew(of node: FeatureNode, _ method: MethodID) -> Bool {
        guard !isDormant, !isClosed else { return false }
        open()
        let isKnown = stretch?.logs.contains { $0.node === node && $0.method == method }
        if isKnown == false { stretch?.logs.append((node, method)) }
        return mark(of: node) != nil
    }

    /// What a node had presented that may be taken back; `nil` if nothing of it is.
    package func mark(of node: FeatureNode) -> FeatureNode.Mark? {
        guard stretch != nil, let number = node.routerNumber,
            stretch?.attached.contains(number) == false
        else { return nil }
        return stretch?.marks[number]
    }

    private func mark(_ member: RouterCore) {
        guard let node = member.node, stretch?.marks[member.number] == nil else { return }
        stretch?.marks[member.number] = node.mark()
    }

    func open() {
        guard stretch == nil else { return }
        stretch = Stretch(input: runningInput, record: Record(session: image.session))
        guard !awaitsJobEnd else { return }
        awaitsJobEnd = true
        // Strongly, for a moment: what was ever referred to weakly is slower to retain.
        loop.whenJobEnds {
            self.awaitsJobEnd = false
            self.endStretch()
        }
    }

    /// The input whose handler runs: the task's, or the one that is being started, if the handler
    /// has started this task.
    private var runningInput: Input? { session?.currentInput() ?? started }

    /// A handler is about to be started.
    package func handlerStarts(_ event: Event?) {
        handlerReturned()
        started = event.map(Input.event)
    }

    /// Something that came from outside is about to be handled, or has been: a handler that it
    /// started or resumed has suspended or ended.
    package func handlerReturned() {
        started = nil
        if stretch != nil, !loop.isInJob { endStretch() }
    }

    /// What has changed since the last suspension belongs together.
    package func endStretch() {
        // Taken out: what is there once is changed in place.
        guard var stretch = stretch.take() else { return }
        if let detached = stretch.record.detached {
            let gone = image.below(detached, and: stretch.record.attached ?? [])
            stretch.changed.removeAll(where: gone.contains)
            stretch.requests.drop(where: gone.contains)
        }
        collectStates(&stretch)
        stretch.requests.enter(&stretch.record)
        if !stretch.logs.isEmpty {
            for log in stretch.logs { log.node.trimLog(log.method) }
            let logs = stretch.logs.flatMap { LogPlace.places(in: $0.node, of: $0.method) }
            if !logs.isEmpty { stretch.record.logs = logs }
        }
        listen(stretch)
        recordInputs(of: &stretch)
        guard !stretch.record.isEmpty else { return }
        let isBegun = stretch.input.map { !hasEnded($0, in: stretch) } ?? false
        if isBegun, case .event(let event)? = stretch.input {
            stretch.record.begun = [
                BegunEvent(
                    front: event.front, sequence: event.sequence, node: event.node,
                    method: event.method)
            ]
        }
        count(stretch.input, bytes: commit(stretch.record), isBegun: isBegun)
        onRecord?(stretch.input.map(describe), isBegun)
    }

    private func hasEnded(_ input: Input, in stretch: Stretch) -> Bool {
        switch input {
        case .event(let event):
            stretch.record.answers?.contains {
                $0.front == event.front && $0.sequence == event.sequence
            } == true
        case .own(let own): stretch.ended.contains { $0 === own }
        }
    }

    private func listen(_ stretch: Stretch) {
        for number in stretch.changed { members[number]?.durable?.durability.listen() }
        for number in stretch.marks.keys where !stretch.changed.contains(number) {
            members[number]?.durable?.durability.listen()
        }
    }

    /// Adds the new states to the record. A state that cannot be encoded is what it was.
    private func collectStates(_ stretch: inout Stretch) {
        var changes: [StateChange] = []
        for number in stretch.changed {
            guard let member = members[number], let durable = member.durable else { continue }
            do throws(CBORError) {
                let known = stretch.encoded.first { $0.number == number }?.bytes
                let bytes = if let known { known } else { try durable.encodedState().bytes }
                if var change = change(of: number, to: bytes) {
                    let schema = journal.number(of: durable.stateType)
                    if schema != image.schema(of: number) { change.schema = schema }
                    changes.append(change)
                }
            } catch {
                Anomaly.report(.unwritableState(feature: member.feature, error))
                takeBack([number], stretch)
                stretch.requests.drop { $0 == number }
            }
        }
        if !changes.isEmpty { stretch.record.states = changes }
    }

    /// The bytes of the smallest state of which a delta is recorded. Chosen: what it saves of a
    /// smaller one is little beside the rest of a record.
    private static let deltaBytesMin = 64

    private func change(of number: UInt32, to new: [UInt8]) -> StateChange? {
        let old = image.index(of: number).flatMap { image.nodes[$0].state }
        guard let old else { return StateChange(number: number, whole: new) }
        if old == new { return nil }
        if new.count >= Self.deltaBytesMin, let delta = CBORDelta.encoded(from: old, to: new) {
            return StateChange(number: number, delta: delta)
        }
        return StateChange(number: number, whole: new)
    }

    /// - Returns: the record's bytes; 0 if it is not recorded.
    @discardableResult
    func commit(_ record: Record) -> Int {
        guard !record.isEmpty, !isClosed else { return 0 }
        do throws(ImageError) {
            try image.apply(record)
        } catch {
            preconditionFailure("a record that its own image refuses: \(error)")
        }
        recordCount += 1
        if record.detached != nil {
            members = members.filter { image.index(of: $0.key) != nil }
            missing = missing.filter { image.index(of: $0) != nil }
        }
        let bytes = journal.append(record, of: self, isImageDue: record.title != nil)
        for job in record.jobs ?? [] { own.fresh.insert(job.id) }
        if record.changesDues { dueChanged() }
        return bytes
    }

    // MARK: - Handlers that throw

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
                journal.abandon(RestoreDefect(feature: member.feature, reason: error.detail))
            }
            if let mark = stretch.marks[number] { member.node?.reset(to: mark) }
        }
        let dropped = stretch.effects.filter { numbers.contains($0.number) }.map(\.frame)
        if !dropped.isEmpty { session?.withdraw(dropped) }
        self.stretch?.effects.removeAll { numbers.contains($0.number) }
        self.stretch?.requests.drop(where: numbers.contains)
    }
}

extension LogPlace {
    /// How far a node's logs have come, or the one of a method; of a node that has left, nothing.
    @MainActor
    static func places(in node: FeatureNode, of method: MethodID? = nil) -> [LogPlace] {
        guard let number = node.routerNumber else { return [] }
        return node.logs.entries.filter { method == nil || $0.method == method }.map {
            LogPlace(number: number, method: $0.method.rawValue, next: $0.window.next)
        }
    }
}
