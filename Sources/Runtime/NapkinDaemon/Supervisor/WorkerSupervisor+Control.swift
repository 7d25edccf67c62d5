// WorkerSupervisor+Control: ends a worker on demand, and reads its program's contract.

import Glibc
import NapkinCoding
import NapkinCore
import NapkinHost
import NapkinProtocol
import NapkinRuntime
import NapkinTransport

extension WorkerSupervisor {
    /// The time between two checks of the lock of a worker that is no child. Chosen.
    private static let lookInterval = Duration.milliseconds(20)
    /// How long such a worker may take after SIGKILL. Chosen: it may have much memory to give back.
    private static let deathTime = Duration.seconds(5)
    /// The size limit of a contract, over all pieces, in bytes. Chosen: a hundred large ones.
    private static let contractBytesMax = 16 * 1024 * 1024

    /// Whether the running program differs from the next worker's; `nil` if that is unknown.
    var isOutdated: Bool? {
        guard let pid, let next = ProgramFile(of: app.manifest) else {
            return nil
        }
        return process != nil ? program.map { $0 != next } : next.isNewer(thanThatOf: pid)
    }

    /// The version of napkin with which the worker was built, from its registration.
    var napkin: String? { worker?.register.napkin }

    /// How long the worker's loop has been silent.
    var silence: Duration { watchdog?.silence ?? .zero }

    /// Starts the worker if necessary; returns why there is none.
    func startFailure() async -> Refusal? {
        do throws(Refusal) {
            _ = try await registeredWorker()
            return nil
        } catch {
            return error
        }
    }

    /// Ends the worker in good order, and after `deadline` by SIGKILL, even if an earlier napkind
    /// has started it. Returns when it is gone.
    func end(within deadline: Duration) async {
        // Ask once for the lock's holder: each question stays in the queue of the claim's socket.
        let former = process == nil ? worker?.register.pid ?? holder : nil
        let last = former ?? pid
        defer { if let last { log.workerEnded(last) } }
        // A worker that has not registered cannot be told.
        if worker == nil, let former { kill(former, SIGTERM) }
        let start = ContinuousClock.now
        await drain(deadline: deadline)
        guard let former else { return }
        while ContinuousClock.now - start < deadline + Self.deathTime,
            ProcessLock.isHeld(lockPath)
        {
            if ContinuousClock.now - start >= deadline { kill(former, SIGKILL) }
            await LoopTimer.wait(Self.lookInterval)
        }
        endChildren()
    }

    private var holder: Int32? {
        guard expectsWorker, let pid = ClaimedName.holder(of: lockPath), pid > 1 else { return nil }
        newest = pid
        return pid
    }

    /// Returns the program's contract; starts the worker if necessary.
    func contract() async throws(Refusal) -> AppSchema {
        let worker = try await registeredWorker()
        var piece = try await worker.ask(.schema(app: app.id))
        var bytes = piece.bytes
        while piece.cursor != 0, bytes.count <= Self.contractBytesMax {
            piece = try await worker.ask(
                .more(app: app.id, session: nil, cursor: piece.cursor))
            bytes += piece.bytes
        }
        guard let schema = bytes.withUnsafeBytes({ $0.decoded(AppSchema.self) }) else {
            throw Refusal(.workerUnavailable, "the contract of \(app.id) cannot be read")
        }
        return schema
    }
}
