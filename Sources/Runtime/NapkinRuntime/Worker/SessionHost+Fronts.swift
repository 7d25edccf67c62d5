// SessionHost+Fronts: counts, forgets, detaches and lists the fronts of a session.
//
// Spec       Protocol/TOOLS.md, section 2 (Sessions)

import NapkinCore
import NapkinLedger
package import NapkinProtocol
import NapkinTransport

extension SessionHost {
    // MARK: - Counting

    /// The number of connected fronts, including those that have not been shown anything yet.
    package var connectedFronts: Int { seats.values.count { !$0.isAway } }

    /// Sends the number of fronts to those that want it. A slow front gets only the newest.
    func tellFrontCount() {
        guard hasCounted, let rootNode else { return }
        let key = StateKey(node: rootNode, method: MethodID.fronts.rawValue)
        for front in fronts where front.countsFronts { front.stateChanged(key) }
    }

    /// The root node's number, while the root is shown.
    var rootNode: UInt32? { mounted.firstID }

    // MARK: - Forgetting

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
        asks.frontLeft(seat)
        ledger?.frontForgotten(front)
        handling { Task.immediate { await pages.left(front) } }
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
            asks: openQuestions, departedFronts: away.count, unseenEffects: unseenEffects,
            fronts: fronts.map(\.queues)
                + departed.map(\.queues))
        if let tracers = observer?.tracerInfos, !tracers.isEmpty { queues.tracers = tracers }
        return queues
    }
}
