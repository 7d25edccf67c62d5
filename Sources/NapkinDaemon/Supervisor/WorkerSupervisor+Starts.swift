// WorkerSupervisor+Starts: what needs a worker, and starts it if necessary.
//
// Layer      daemon.
// Isolation  @MainActor: the loop thread.

import NapkinCore
import NapkinProtocol

extension WorkerSupervisor {
    /// Returns the encoded schema of the app from its worker, which is started if necessary: a
    /// worker that has outlived an earlier napkind knows best what it speaks.
    func schema() async throws(Refusal) -> AnswerPiece {
        let worker = try await registeredWorker()
        return try await worker.ask(.query, Query.schema(app: app.id))
    }

    /// Starts the worker of an app that has sessions without a front. If that fails, it is tried
    /// again as ever.
    func startUnasked() async {
        // The failure is logged, and shown as the app's state.
        _ = try? await registeredWorker()
    }

    /// Returns when a worker that is starting, and opens sessions by itself, has told of them.
    func sessionsOpened() async {
        guard !app.sessions.isEmpty, [.starting, .restarting].contains(state), !expectsWorker
        else { return }
        // The failure is logged, and shown as the app's state.
        _ = try? await registeredWorker()
    }
}
