// StalledStore: a disk that takes 50 ms for each sync, and the loop beside it.

import Glibc
import Histogram
import NapkinCore
import NapkinLedger
import NapkinProtocol
import NapkinRuntime
import NapkinTransport

/// A durable session in this process, whose store is slow.
@MainActor
struct StalledStore {
    var processor: Int?

    private static let commits = 40
    private nonisolated static let sync: UInt32 = 50_000

    /// How long the loop's turns take while changes wait for the store.
    func report() async throws -> Report {
        let journal = try Journal(
            durability: .machine, MemoryStore(sync: { usleep(Self.sync) }))
        let host = SessionHost(
            name: "slow", app: MachineApp.id, epoch: 1, features: MachineApp.features)
        host.keep(in: SessionLedger(journal: journal, name: "slow", id: "slow", epoch: 1))
        var counter: CountInteractor?
        let root = LaunchRouter(Table.self) {
            let interactor = CountInteractor(presenter: $0.presenter)
            counter = interactor
            return interactor
        }
        await host.launch(root)
        guard let counter else { throw BenchError("no interactor was built") }
        var isOver = false
        let changes = Task {
            for row in 0..<Self.commits {
                _ = try await counter.change(row)
                await journal.waitUntilDurable()
            }
            isOver = true
        }
        var turns = Report.histogram()
        // What other programs take from the loop is in its turns, too; were it to wait for the
        // store, there would be one as long as a sync for each commit.
        var long = 0
        var last = Placement.now()
        while !isOver {
            await Loop.shared.flushed()
            let now = Placement.now()
            turns.record(now - last)
            if now - last >= UInt64(Self.sync) * 900 { long += 1 }
            last = now
        }
        try await changes.value
        await host.end(Refusal(.sessionEnded, "it was measured"))
        var report = Report(workload: "durable-stall", processor: processor)
        report.add("sync_us", Double(Self.sync))
        report.add(turns, prefix: "turn_")
        report.add("turn_max_us", Double(turns.max) / 1000)
        report.add("commits", Double(Self.commits))
        report.add("turns_like_a_sync", Double(long))
        return report
    }
}
