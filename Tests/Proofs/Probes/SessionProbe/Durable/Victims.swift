// Victims: workers and napkinds that are killed, no faster than workers are restarted.

import Glibc
import NapkinProtocol
import NapkinTransport
import ProofSupport

/// A worker that dies too often is degraded, unless another napkind looks after it.
@MainActor
final class Victims {
    private let daemon: DaemonProcess
    private var times: [UInt64] = []

    init(_ daemon: DaemonProcess) { self.daemon = daemon }

    /// Kills the worker at once; waits for one if there is none at the moment.
    func killWorker(of app: String, _ session: String, _ witness: BookWitness) async throws {
        let pid = try await mortal(of: app, session, witness)
        witness.history.noted("worker \(pid) dies")
        kill(pid, SIGKILL)
    }

    /// Returns the worker, which is about to be killed, when there is one that would be restarted.
    func mortal(
        of app: String, _ session: String, _ witness: BookWitness
    ) async throws -> Int32 {
        let now = Loop.shared.now
        let recent = times.count { now <= $0 + KillProof.windowMilliseconds }
        if recent >= KillProof.restartsMax {
            try await restartDaemon(for: app, session, witness)
        }
        times.append(Loop.shared.now)
        while true {
            if let pid = try await daemon.app(app).pid { return pid }
            try await Task.sleep(for: .milliseconds(1))
        }
    }

    /// Kills napkind; returns when the next one has a worker, with this session.
    func restartDaemon(
        for app: String, _ session: String, _ witness: BookWitness
    ) async throws {
        witness.history.noted("napkind dies")
        times = []
        try await daemon.restart()
        try await daemon.admits(app, session)
    }
}
