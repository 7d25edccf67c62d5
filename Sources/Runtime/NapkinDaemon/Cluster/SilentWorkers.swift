// SilentWorkers: handles workers of a cluster that do not answer, and their fronts.
//
// Ownership  owned by the cluster's member.
// Spec       Protocol/LEDGER.md, "Machines"

import NapkinLedger
import NapkinProtocol
import NapkinTransport

/// Asks the database about workers of durable sessions that are stopped, or hang.
@MainActor
final class SilentWorkers {
    /// The time between two checks, and the silence before the database is asked. Chosen: fronts
    /// wait for the answer.
    private static let interval = Duration.seconds(1)
    private static let silence = Duration.seconds(2)

    private unowned let cluster: ClusterMember
    private unowned let apps: HostedApps
    private var timer: LoopTimer?
    private var isPolling = false

    init(of cluster: ClusterMember, _ apps: HostedApps) {
        (self.cluster, self.apps) = (cluster, apps)
        timer = LoopTimer(every: Self.interval) { [weak self] in
            guard let self, !isPolling else { return }
            Task { await self.poll() }
        }
    }

    func stop() { timer?.cancel() }

    /// Ends workers whose journals other machines have taken over: such a worker can commit
    /// nothing, yet its fronts would wait for it. If no machine has taken over although the lease
    /// has ended, a stopped worker with fronts is ended, so that they ask again; otherwise, newly
    /// arrived fronts are sent to another machine, which takes the journal over.
    private func poll() async {
        isPolling = true
        defer { isPolling = false }
        let silent = apps.ordered.flatMap { app in
            app.workers.values.filter {
                $0.silence >= Self.silence && app.journals.levels[$0.id.number] != nil
            }
        }
        // Without an answer, the report has logged why.
        guard !silent.isEmpty, let owners = try? await cluster.owners(of: silent.map(\.id.fileName))
        else { return }
        for worker in silent {
            let journal = worker.id.fileName
            guard let owner = owners[journal] else { continue }
            guard owner.machine == cluster.name else {
                worker.yield()
                continue
            }
            let candidate = ClusterPlacement.Candidate(
                number: worker.id.number, journal: journal, owner: owner)
            do throws(Refusal) {
                let decision = cluster.placement.silent(on: candidate)
                _ = try await cluster.workersHere(decision, worker.id.app, of: worker.owner)
            } catch {
                // If nobody else can take it over, they wait for this one.
                guard error.code == .elsewhere else { continue }
                // A process that the kernel holds up does not end at once.
                if !worker.hasYielded, worker.holdsFronts {
                    worker.yield()
                } else {
                    worker.refuseArriving(error)
                }
            }
        }
    }
}
