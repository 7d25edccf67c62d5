// Innocents: two fronts of a session that does nothing wrong, and what they meet meanwhile.
//
// Invariant  a wait is counted from the moment at which a person would press, connected or not.

import NapkinTesting
import NapkinTransport
import ProofSupport

@MainActor
final class Innocents {
    private static let fronts = 2
    private let witness: BookWitness
    private var fronts: [BookFront] = []
    private var callers: [Task<Void, any Error>] = []
    /// When the events under way began to wait, by front.
    private var open: [Int: UInt64] = [:]
    private var ended: [Int] = []
    private var sent = 0
    private var isOver = false

    /// Attaches the fronts, which begin to send.
    init(
        of app: String, session: String, isDurable: Bool, in daemon: DaemonProcess
    ) async throws {
        witness = BookWitness(of: app, session, in: daemon.place)
        witness.history = History(isKept: isDurable, hasDeaths: false)
        for number in 1...Self.fronts {
            let front = BookFront(number, of: app, session: session, at: daemon.address, witness)
            try await front.front.attach()
            fronts.append(front)
            callers.append(Task { try await self.send(on: front) })
        }
    }

    /// Returns how many milliseconds each event has waited that has ended since this was last
    /// asked, or still waits.
    func takeWaits() -> [Int] {
        defer { ended = [] }
        return ended + open.values.map { Int(Loop.shared.now - $0) }
    }

    func noted(_ what: String) { witness.history.noted(what) }

    /// How many events were told that they may have run.
    var unknown: Int { witness.history.counts["unknown"] ?? 0 }

    var violation: String? { witness.history.violation }

    private func send(on front: BookFront) async throws {
        while !isOver, witness.history.violation == nil {
            let start = Loop.shared.now
            open[front.number] = start
            while !front.front.isConnected { try await Task.sleep(for: .milliseconds(1)) }
            // A handler that waits after a change is interrupted by another's death, too.
            sent += 1
            try await front.send(sent % 4 == 0 ? .twice : .once, pausing: 0)
            open[front.number] = nil
            ended.append(Int(Loop.shared.now - start))
            // Chosen: some hundred events a second of both.
            try await Task.sleep(for: .milliseconds(15))
        }
    }

    /// Sends no more; throws what was lost, doubled, reordered, or seen and then gone. Returns the
    /// events by their ends.
    func finish() async throws -> [String: Int] {
        isOver = true
        for caller in callers { try await caller.value }
        try await fronts[0].isBack()
        let found = witness.history.violations(try await fronts[0].recovered())
        for front in fronts { await front.front.detach() }
        try Failure.unless(
            found.isEmpty, "\(found.count) violations\n\(found.prefix(3).joined(separator: "\n"))")
        return witness.history.counts
    }
}
