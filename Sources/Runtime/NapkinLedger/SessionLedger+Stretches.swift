// SessionLedger+Stretches: turns the changes between two suspensions into one record, or rolls them
// back.
//
// Spec       Protocol/LEDGER.md

import NapkinCoding
package import NapkinCore
import NapkinTransport

extension SessionLedger: TreeRecorder {
    package var routers: any RouterRecorder { tree }

    package var outbox: (any Outbox)? { LedgerOutbox(ledger: self) }

    /// Begins to record the session, beginning with its title and fronts.
    func beginRecording() {
        isDormant = false
        image.session = journal.begin(image.title)
        let stretch = open()
        stretch.record.title = image.title
        stretch.record.fronts = session?.knownFronts
        image.newestFront = session?.newestFront ?? 0
    }

    /// Adds an attached router, if its interactor is durable.
    @discardableResult
    func enter(_ router: RouterCore, as number: UInt32) -> Member? {
        guard let member = Member(router, number) else { return nil }
        members[number] = member
        return member
    }

    package func stateChanged(of number: UInt32) {
        guard !isClosed, let member = members[number] else { return }
        session?.changes()
        let stretch = open()
        if stretch.input == nil { stretch.input = runningInput }
        stretch.touch(member)
        member.encoded = nil
        stretch.change(member)
    }

    package func willPresent(from number: UInt32) {
        guard !isClosed, let member = members[number] else { return }
        open().touch(member)
    }

    /// Holds back a durable router's effect: its frame waits for the end of the stretch.
    package func presented(effect frame: [UInt8], from number: UInt32) {
        guard let stretch, members[number] != nil else { return }
        stretch.effects.append((number, frame))
    }

    @discardableResult
    package func logGrew(of node: FeatureNode, _ method: MethodID) -> Bool {
        guard isRecording, let log = node.logs[method] else { return false }
        if !node.recordsOffset(of: log), let number = node.routerNumber,
            image.recordsOffset(
                of: LogOffset(
                    number: number, method: method.rawValue, next: log.nextBlock))
        {
            return false
        }
        let stretch = open()
        if !stretch.logs.contains(where: { $0.node === node && $0.method == method }) {
            stretch.logs.append((node, method))
        }
        return !log.limits.isProvisional && mark(of: node) != nil
    }

    /// Returns the mark of a node whose output may be rolled back; `nil` for any other node.
    package func mark(of node: FeatureNode) -> FeatureNode.Mark? {
        guard let stretch, let number = node.routerNumber, !stretch.attached.contains(number)
        else { return nil }
        return members[number]?.mark
    }

    /// Returns the open stretch, or opens one.
    @discardableResult
    func open() -> Stretch {
        if let stretch { return stretch }
        let stretch = journal.spareStretch.take() ?? Stretch()
        stretch.record.session = image.session
        stretch.input = runningInput
        self.stretch = stretch
        guard !awaitsJobEnd else { return stretch }
        awaitsJobEnd = true
        // A strong capture, briefly: an object ever referred to weakly is slower to retain.
        loop.whenJobEnds {
            self.awaitsJobEnd = false
            self.endStretch()
        }
        return stretch
    }

    // MARK: - Inputs

    /// The input whose handler runs: the running task's or, if the handler that is being started
    /// has started this task, that handler's.
    private var runningInput: Input? {
        // While a callback of the loop starts a handler, no other code runs.
        if case .event? = started, !loop.isInJob { return started }
        switch IncomingCall.origin {
        case let call as ScheduledCall:
            return inputs.isUnderWay(call.input) ? .scheduled(call.input) : started
        case let call?: return session?.event(of: call).map(Input.event) ?? started
        case nil: return started
        }
    }

    /// An input from outside begins, and may start or resume a handler: the handler's changes until
    /// it suspends are a separate stretch.
    ///
    /// - Parameter event: the event whose handler is started; `nil` for other input.
    package func handling(_ event: BegunEvent?, _ body: () -> Void) {
        begin(event.map(Input.event))
        body()
        begin(nil)
    }

    /// Begins an input; each begins after all earlier ones. `nil` ends it: its handler has ended or
    /// suspended, or the input starts none.
    func begin(_ input: Input?) {
        // The executor ends a job's stretch; without jobs, the open stretch may be another task's.
        if stretch != nil, !loop.isInJob { endStretch() }
        started = input
        guard case .scheduled? = input else { return }
        loop.whenJobEnds { self.started = nil }
    }

    // MARK: - The end of a stretch

    /// Ends the stretch, which groups all changes since the last suspension.
    package func endStretch() {
        guard let stretch = stretch.take() else { return }
        // Moved out, so that the only reference is changed in place.
        var record = stretch.takeRecord()
        if let detached = record.detached {
            let gone = image.below(detached, and: record.attached ?? [])
            stretch.dropChanges(where: gone.contains)
            stretch.requests.drop(where: gone.contains)
        }
        collectStates(stretch, in: &record)
        stretch.requests.enter(&record)
        if !stretch.logs.isEmpty {
            for log in stretch.logs { log.node.trimLog(log.method) }
            let logs = stretch.logs.flatMap { LogOffset.offsets(in: $0.node, of: $0.method) }
            if !logs.isEmpty { record.logs = logs }
        }
        inputs.record(stretch, in: &record)
        let input = stretch.input
        let isBegun = input.map { !hasEnded($0, in: stretch, record) } ?? false
        stretch.end()
        journal.spareStretch = stretch
        guard !record.isEmpty else { return }
        if isBegun, case .event(let event)? = input { record.begun = [event] }
        count(input, isBegun: isBegun, bytes: commit(record))
        if let onRecord { onRecord(input.map(describe), isBegun) }
    }

    private func hasEnded(_ input: Input, in stretch: Stretch, _ record: Record) -> Bool {
        switch input {
        case .event(let event): isAnswered(event, in: record)
        case .scheduled(let own): stretch.ended.contains { $0 === own }
        }
    }

    private func isAnswered(_ event: BegunEvent, in record: Record) -> Bool {
        guard let answers = record.answers else { return false }
        for index in answers.indices
        where answers[index].front == event.front && answers[index].sequence == event.sequence {
            return true
        }
        return false
    }

    private func collectStates(_ stretch: Stretch, in record: inout Record) {
        for member in stretch.changed {
            do throws(CBORError) {
                let state = try member.state()
                if let change = change(of: member, to: state) { record.states.add([change]) }
            } catch {
                Anomaly.report(.unwritableState(feature: member.router.feature, error))
                rollBack([member], stretch)
                stretch.requests.drop { $0 == member.number }
            }
        }
    }

    /// The smallest state that is recorded as a delta, in bytes. Chosen: for a smaller state, a
    /// delta saves little compared with the rest of a record.
    private static let deltaBytesMin = 64

    private func change(of member: Member, to new: [UInt8]) -> StateChange? {
        let number = member.number
        if member.schema == nil {
            member.schema = journal.number { (schemas) throws(CBORError) in
                try schemas.number(of: member.durable.stateType)
            }
        }
        var change = StateChange(number: number, whole: new)
        guard let index = image.index(of: number), let old = image.nodes[index].state else {
            change.schema = member.schema
            return change
        }
        if old == new { return nil }
        if image.nodes[index].schema != member.schema { change.schema = member.schema }
        if new.count >= Self.deltaBytesMin, let delta = CBORDelta.encoded(from: old, to: new) {
            (change.whole, change.delta) = (nil, delta)
        }
        return change
    }

    /// - Returns: the record's size in bytes; 0 if there is no record.
    @discardableResult
    func commit(_ record: Record) -> Int {
        guard !record.isEmpty, !isClosed else { return 0 }
        do throws(ImageError) {
            try image.apply(record)
        } catch {
            preconditionFailure("a record that its own image refuses: \(error)")
        }
        if record.hasOnlyLogs {
            holdLogs(of: record)
            return 0
        }
        recordCount += 1
        if record.detached != nil {
            members = members.filter { image.index(of: $0.key) != nil }
            tree.forgetDetached()
        }
        let bytes = journal.append(record, of: self, isImageDue: record.title != nil)
        inputs.forgetCancelled(record.jobChanges ?? [])
        for job in record.jobs ?? [] { inputs.fresh.insert(job.id) }
        if record.changesDueTimes { inputs.dueChanged() }
        return bytes
    }

    // MARK: - Counts

    /// The counts since the worker began, ordered by feature and method.
    package var handlerCounts: [HandlerCount] { counts.sorted }

    /// Counts the record of a stretch.
    ///
    /// - Parameter isBegun: whether the input's handler continues after it.
    func count(_ input: Input?, isBegun: Bool, bytes: Int) {
        guard bytes > 0 else { return }
        let (feature, handler) = handler(of: input)
        counts.add(handler, of: feature, isBegun: isBegun, bytes: bytes) {
            name(feature, handler)
        }
    }

    private func handler(of input: Input?) -> (feature: String, handler: HandlerCount.Handler) {
        guard let input, let index = image.index(of: input.node) else { return ("-", .none) }
        let feature = image.nodes[index].place.feature
        return switch input {
        case .event(let event): (feature, .event(event.method))
        case .scheduled(let own): (feature, .scheduled(own.method))
        }
    }

    private func name(_ feature: String, _ handler: HandlerCount.Handler) -> String {
        switch handler {
        case .none: "-"
        case .scheduled(let handler): handler
        case .event(let method):
            session?.signature(of: method, in: FeatureID(rawValue: feature)) ?? "\(method)"
        }
    }

    /// Returns the feature and the method whose handler runs for an input.
    func describe(_ input: Input) -> String {
        let (feature, handler) = handler(of: input)
        return feature == "-" ? "a feature that has gone" : "\(feature) \(name(feature, handler))"
    }

    // MARK: - Logs

    private func holdLogs(of record: Record) {
        if grownLogs.isEmpty { journal.logsGrew(in: self) }
        for log in record.logs ?? [] {
            grownLogs.removeAll { $0.number == log.number && $0.method == log.method }
            grownLogs.append(log)
        }
    }

    /// Records the positions of the logs that have grown in the collecting group.
    func recordLogs() {
        guard !grownLogs.isEmpty, !isClosed else { return }
        var record = Record(session: image.session)
        record.logs.add(grownLogs.compactMap(image.offset))
        grownLogs = []
        recordCount += 1
        journal.append(record, of: self)
    }

    // MARK: - Handlers that throw

    /// Rolls back a handler that has thrown: undoes its changes since the last suspension, except
    /// the children that it has attached.
    package func handlerFailed() {
        guard let stretch, !stretch.changed.isEmpty else { return }
        stretch.hasFailed = true
        let failed = stretch.changed.filter { !stretch.attached.contains($0.number) }
        rollBack(failed, stretch)
        stretch.dropChanges { !stretch.attached.contains($0) }
    }

    private func rollBack(_ failed: [Member], _ stretch: Stretch) {
        for member in failed {
            guard let state = image.index(of: member.number).flatMap({ image.nodes[$0].state })
            else { continue }
            do throws(CBORError) {
                try member.durable.replaceState(with: Payload(state))
            } catch {
                // The interactor now has neither the old state nor a recorded one.
                let feature = member.router.feature
                journal.abandon(RestoreDefect(feature: feature, reason: error.detail))
            }
            if let mark = member.mark { member.router.node?.reset(to: mark) }
        }
        let numbers = failed.map(\.number)
        let dropped = stretch.effects.filter { numbers.contains($0.number) }.map(\.frame)
        if !dropped.isEmpty { session?.withdraw(dropped) }
        stretch.effects.removeAll { numbers.contains($0.number) }
        stretch.requests.drop(where: numbers.contains)
    }
}

extension LogOffset {
    /// Returns the positions of a node's logs, or of one method's; none for a node that has left.
    @MainActor
    static func offsets(in node: FeatureNode, of method: MethodID? = nil) -> [LogOffset] {
        guard let number = node.routerNumber else { return [] }
        return node.logs.entries.filter { method == nil || $0.method == method }.map {
            LogOffset(
                number: number, method: $0.method.rawValue,
                next: node.recordsOffset(of: $0.window) ? $0.window.next : $0.window.nextBlock)
        }
    }
}

extension FeatureNode {
    /// Whether a log's offset is recorded exactly. If nothing of the feature is recorded, or the
    /// log is provisional, fronts need not wait for that: in the next worker, the log begins anew.
    fileprivate func recordsOffset(of log: LogWindow) -> Bool {
        isDurable && !log.limits.isProvisional
    }
}
