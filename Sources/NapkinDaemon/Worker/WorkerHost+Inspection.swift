// WorkerHost+Inspection: a worker that is watched, and measured.
//
// Layer      daemon.
// Isolation  @MainActor: the loop thread.
// Spec       Protocol/SPEC.md, sections 6.7 (query) and 6.8 (answer)

import NapkinCore
import NapkinProtocol
import NapkinRuntime
import NapkinTransport

extension WorkerHost {
    /// The trees when they are others than the asker has seen; without them after a while.
    func watch(
        _ name: String?, _ seen: UInt64?, every milliseconds: UInt32?, withLedger: Bool
    ) async throws(Refusal) -> Payload {
        let interval = Duration.milliseconds(
            max(1, milliseconds ?? Limits.watchMilliseconds))
        let start = ContinuousClock.now
        while true {
            let trees = watched(name, withLedger: withLedger)
            let digest = try digest(of: trees)
            if digest != seen { return try encoded(TreeLook(digest: digest, trees: trees)) }
            guard ContinuousClock.now - start < .seconds(Limits.inspectionHoldSeconds) else {
                return try encoded(TreeLook(digest: digest, trees: nil))
            }
            await withCheckedContinuation { continuation in
                _ = LoopTimer(after: interval) {
                    Loop.keepingResumesOnLoop { continuation.resume() }
                }
            }
        }
    }

    private func watched(_ name: String?, withLedger: Bool) -> [SessionTree] {
        let trees = trees(of: name).sorted { $0.session < $1.session }
        if withLedger { return trees }
        // Each event changes a ledger; and only a ledger has sessions that have ended.
        return trees.filter { $0.root != nil }.map { tree in
            var tree = tree
            tree.ledger = nil
            return tree
        }
    }

    /// 64-bit FNV-1a of the encoded trees.
    private func digest(of trees: [SessionTree]) throws(Refusal) -> UInt64 {
        try encoded(trees).bytes.reduce(0xCBF2_9CE4_8422_2325) {
            ($0 ^ UInt64($1)) &* 0x100_0000_01B3
        }
    }

    /// What the sessions' crossings have taken, those of several sessions together.
    func figures(of name: String?) async -> Figures {
        var table = FigureTable()
        // Before the fronts are waited for.
        let now = MeasuringClock.nanoseconds
        for host in hosts(name) { table.add(await host.figures()) }
        return Figures(
            nanoseconds: now, crossings: table.rows, omitted: table.omitted)
    }
}
