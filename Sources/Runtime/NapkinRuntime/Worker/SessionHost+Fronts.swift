// SessionHost+Fronts: attaches, counts, forgets, detaches and lists the fronts of a session.
//
// Spec       Protocol/SPEC.md, section 9 (Resume); Protocol/TOOLS.md, section 2 (Sessions)

import NapkinCore
import NapkinLedger
package import NapkinProtocol
import NapkinTransport

extension SessionHost {
    // MARK: - Attaching

    /// Takes over an established link: sends the whole tree, then its changes. A returning front
    /// resumes where it left off.
    package func join(_ link: Link, _ attach: Attach) {
        guard !attendance.isDismissed(attach.previousIdentity) else {
            return link.refuse(dismissal(bySomebodyWho: "has detached it meanwhile"))
        }
        if let refusal = refusal(of: attach) ?? shortage { return link.refuse(refusal) }
        connections += 1
        let (front, isResumed) = seat(for: attach)
        // Until the front is shown the tree, it receives nothing else, even if it has reconnected.
        stage.unlist(front)
        front.take(link, attach, connection: connections)
        guard attach.mirrors == nil else { return show(front, attach, isResumed: isResumed) }
        handling {
            Task.immediate {
                await stage.pages.joined(front.attached)
                // The front may have left or reconnected meanwhile.
                if front.link === link { show(front, attach, isResumed: isResumed) }
            }
        }
    }

    /// Shows the tree to a front whose pages are attached, and its changes from now on.
    private func show(_ front: FrontSeat, _ attach: Attach, isResumed: Bool) {
        guard let link = front.link, link.isOpen, seats[front.id] === front else { return }
        let attached = Attached(
            app: app, session: name, front: front.id, epoch: epoch, window: Limits.eventWindow,
            isResumed: isResumed, durability: durability,
            takenBack: FlightRecorder.takenBack[name])
        front.output.treeShown(&stage.shared)
        link.attachedSent()
        front.ordered(FrameHeader(.attached), attached)
        if attach.wantsSchema {
            front.ordered(FrameHeader(.schema), features.map { $0.schema })
        }
        stage.show(front, attach)
        if front.countsFronts { hasCounted = true }
        presence.came(front.attached)
        tellFrontCount()
        if attach.takesOver == true { dismissOthers(than: front) }
    }

    /// Returns the seat for a front that asks to attach, and whether the front resumes.
    private func seat(for attach: Attach) -> (FrontSeat, isResumed: Bool) {
        let previous = attach.previousIdentity.flatMap { seats[$0.front] == nil ? nil : $0 }
        switch attendance.attachReceived(previous: previous, on: connections) {
        case .resume(let front):
            return (seats[front] ?? FrontSeat(front, session: self), true)
        case .admit(let front):
            let seat = FrontSeat(front, session: self)
            seats[front] = seat
            ledger?.frontJoined(front, in: attach.trace?.text)
            return (seat, false)
        }
    }

    /// Handles the end of a front's connection.
    func frontLeft(_ front: FrontSeat) {
        remove(front)
        // An ended session has already forgotten its fronts.
        guard seats[front.id] === front else { return }
        let now = Loop.shared.now
        if attendance.connectionEnded(front.connection, of: front.id, at: now) { forgetDeparted() }
    }

    // MARK: - Counting

    /// The number of connected fronts, including those that have not been shown anything yet.
    package var connectedFronts: Int { seats.values.count { !$0.isAway } }

    /// Sends the number of fronts to those that want it. A slow front gets only the newest.
    func tellFrontCount() {
        guard hasCounted, let root = stage.mounted.firstID else { return }
        let key = StateKey(node: root, method: MethodID.fronts.rawValue)
        for front in stage.fronts where front.countsFronts { front.stateChanged(key) }
    }

    // MARK: - Forgetting

    /// Removes a front from the connected fronts.
    func remove(_ front: FrontSeat) {
        stage.unlist(front)
        presence.left(front.id)
        tellFrontCount()
        onFrontGone?()
    }

    /// Forgets fronts that have been away for too long, and schedules the next check.
    func forgetDeparted() {
        for front in attendance.timerFired(at: Loop.shared.now) { forget(front) }
        forgetting?.cancel()
        forgetting = nil
        guard let deadline = attendance.nextDeadline else { return }
        let delay = Duration.milliseconds(deadline - min(deadline, Loop.shared.now))
        forgetting = LoopTimer(after: delay) { [weak self] in self?.forgetDeparted() }
    }

    /// Forgets a front that has asked to leave for good, and closes its connection.
    func leave(_ front: FrontSeat) {
        attendance.detachReceived(from: front.id)
        forget(front.id)
        front.link?.close()
    }

    /// Forgets a front's record, and ends its pages, its mirrors, and the questions that only it
    /// was asked; handlers of its events on other nodes continue.
    func forget(_ front: UInt64) {
        guard let seat = seats.removeValue(forKey: front) else { return }
        stage.asks.frontLeft(seat)
        ledger?.frontForgotten(front)
        handling { Task.immediate { await stage.pages.left(front) } }
        let mirrors = seats.values.filter { $0.audience == front }.map(\.id)
        if !mirrors.isEmpty {
            let refusal = Refusal(
                .detached, "front \(front) of session '\(name)', which was mirrored, has left")
            _ = dismiss(mirrors, refusal)
        }
        seat.machine.events.forgotten()
        forgotten.append(seat)
        forgotten.removeAll { $0.machine.events.runningEvents == 0 }
    }

    /// Returns why a front unknown to the session cannot attach now; `nil` if the front may attach.
    func refusal(of attach: Attach) -> Refusal? {
        if let refusal = attach.mirrors.flatMap(refusal(toMirror:)) { return refusal }
        if let name = attach.name, !(1...Limits.nameBytesMax).contains(name.utf8.count) {
            return Refusal(
                .badRequest,
                "a front's name has 1 to \(Limits.nameBytesMax) bytes, not \(name.utf8.count): "
                    + "attach with a shorter one")
        }
        guard attach.previousIdentity.flatMap({ seats[$0.front] }) == nil else { return nil }
        forgotten.removeAll { $0.machine.events.runningEvents == 0 }
        let running = forgotten.reduce(0) { $0 + $1.machine.events.runningEvents }
        guard running >= Limits.forgottenEventsMax else { return nil }
        return Refusal(
            .overloaded,
            "\(running) events of fronts that have left session '\(name)' are still running: try "
                + "again when some have ended, or `napkin-client kill \(name)`")
    }

    private func refusal(toMirror front: UInt64) -> Refusal? {
        guard let seat = seats[front] else {
            return Refusal(
                .badRequest,
                "session '\(name)' has no front \(front) that could be mirrored: "
                    + "`napkin-client ls` lists its fronts")
        }
        guard seat.audience != front else { return nil }
        return Refusal(
            .badRequest,
            "front \(front) mirrors front \(seat.audience) itself: mirror that one instead")
    }

    // MARK: - Detaching

    /// Tells all fronts why the session ends. Ignores everything they send afterwards, and stops
    /// recording what the tree does while it shuts down.
    package func dismissFronts(_ refusal: Refusal) {
        for front in seats.values { front.dismiss(refusal) }
        seats = [:]
        forgotten = []
        ledger?.close()
    }

    /// Detaches one front, connected or away, or all fronts: tells each and forgets its record.
    /// Returns the number of fronts detached.
    package func detach(_ front: UInt64?) -> Int {
        dismiss(
            front.map { [$0] } ?? attendance.fronts, dismissal(bySomebodyWho: "asked for that"))
    }

    /// Detaches all other fronts, as the newly attached front has asked.
    func dismissOthers(than front: FrontSeat) {
        _ = dismiss(
            attendance.fronts.filter { $0 != front.id },
            dismissal(bySomebodyWho: "took the session over"))
    }

    private func dismiss(_ numbers: [UInt64], _ refusal: Refusal) -> Int {
        let dismissed = numbers.filter { attendance.frontDismissed($0) }
        for number in dismissed {
            let seat = seats[number]
            forget(number)
            guard let seat, !seat.isAway else { continue }
            // The front is shown and asked nothing more, even while it reads its last frames.
            remove(seat)
            seat.dismiss(refusal)
        }
        return dismissed.count
    }

    /// Returns the refusal that a detached front receives.
    func dismissal(bySomebodyWho reason: String) -> Refusal {
        Refusal(
            .detached,
            "detached from session '\(name)' by another client, which \(reason); the session keeps "
                + "running: `napkin-client attach \(app) --session \(name)` returns to it")
    }

    // MARK: - For tools

    /// The fronts that are away and not forgotten, in the order in which they left.
    package var away: [FrontInfo] {
        attendance.fronts.compactMap { number in
            guard let since = attendance.departure(of: number), var info = seats[number]?.info
            else { return nil }
            info.idleSeconds = Int((Loop.shared.now - min(since, Loop.shared.now)) / 1000)
            return info
        }
    }

    /// The sizes of the session's queues. The worker's own figures are left at 0.
    var queues: SessionQueues {
        let away = attendance.fronts.filter { attendance.departure(of: $0) != nil }
        let departed = away.compactMap { seats[$0] }
        var queues = SessionQueues(
            asks: openQuestions, departedFronts: away.count, unseenEffects: stage.unseenEffects,
            fronts: stage.fronts.map(\.queues)
                + departed.map(\.queues))
        if let tracers = stage.observer?.tracerInfos, !tracers.isEmpty { queues.tracers = tracers }
        return queues
    }
}
