// PostingInteractable: an outbox of jobs that run outside the app after a change is durable.
//
// Isolation  actor (loop executor); jobs are performed off the loop.
// Spec       Protocol/LEDGER.md, Records

public import NapkinCoding

/// A durable interactor that posts jobs to outside services: a charge, a mail, a request.
///
/// ```swift
/// try post(Charge(order: order.id, cents: order.cents))
/// ```
///
/// A job belongs to the change of the handler that posts it: it becomes durable with that change,
/// and is never performed if the handler throws. Then ``perform(_:key:)`` is called until it
/// returns or has thrown too often, and ``jobSucceeded(_:_:key:)`` or ``jobFailed(_:_:key:)`` is
/// called once. All of this survives a worker's death. A job ends with its interactor.
public protocol PostingInteractable: DurableInteractable {
    /// The description of a job. Later versions of the app must be able to read it.
    associatedtype Job: Message
    /// The result of a job. It is not kept: copy the parts worth keeping into `state`.
    associatedtype JobResult: Sendable

    /// How often and when a job is tried again, unless its post says it. By default ten times
    /// within about 20 minutes.
    static var attempts: JobAttempts { get }

    /// Performs the job off the loop, after the job has become durable. May be called more than
    /// once for one job, even after it has returned, if the worker died before the result was kept;
    /// `key` is then the same. Pass the key to the service, so that it does the job once. Throw
    /// only errors that another attempt may fix; return anything else as a result.
    ///
    /// Write `nonisolated`: the compiler would also accept an actor-isolated method, which would
    /// keep the interactor busy for as long as the job takes.
    nonisolated func perform(_ job: Job, key: JobKey) async throws -> JobResult

    /// Handles a job's success. Its changes become durable together with the job's end. If it
    /// throws, they are rolled back, the worker's log says so, and the job has still ended.
    func jobSucceeded(_ job: Job, _ result: JobResult, key: JobKey) async throws

    /// An attempt has failed, and another follows. Optional: for what is shown, since nobody calls
    /// it if the worker dies meanwhile. `nextAttempt` is when that begins, at the earliest, in
    /// seconds since 1970.
    func jobRetries(_ job: Job, _ failure: JobFailure, nextAttempt: Double, key: JobKey) async

    /// The last attempt has failed. The job is kept as a dead letter; see ``retry(_:)``.
    func jobFailed(_ job: Job, _ failure: JobFailure, key: JobKey) async throws
}

/// The unique key of a job: the same in each attempt, across crashes and upgrades.
public struct JobKey: Hashable, Sendable, CustomStringConvertible {
    /// 16 random bytes.
    public let bytes: [UInt8]

    package init(bytes: [UInt8]) { self.bytes = bytes }

    package static func random() -> JobKey {
        JobKey(bytes: (0..<16).map { _ in UInt8.random(in: .min ... .max) })
    }

    /// 32 hexadecimal digits.
    public var description: String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}

extension PostingInteractable {
    public static var attempts: JobAttempts { JobAttempts() }

    public func jobRetries(
        _ job: Job, _ failure: JobFailure, nextAttempt: Double, key: JobKey
    ) async {}

    /// Posts a job, which is performed once this handler's changes are durable.
    ///
    /// - Parameters:
    ///   - job: at most 64 KiB when encoded.
    ///   - attempts: how often and when this job is tried again; `nil` for what its type says.
    /// - Throws: ``DurableError``. Nothing has been posted then.
    @discardableResult
    public func post(_ job: Job, attempts: JobAttempts? = nil) throws(DurableError) -> JobKey {
        let payload = try Payload(keeping: job, "a job")
        return try durability.outbox { (outbox, number) throws(DurableError) in
            try outbox.post(payload, attempts, of: number)
        }
    }

    /// Cancels a job of this interactor. An attempt that is under way is cancelled, as a task is,
    /// and no handler is called for the job. Belongs to this handler's change, as
    /// `post` does.
    ///
    /// Returns false if there is no such job, or its result is being handled.
    @discardableResult
    public func cancel(_ key: JobKey) -> Bool {
        // Where nothing is kept, nothing was posted.
        (try? durability.outbox { $0.cancel(job: key, of: $1) }) ?? false
    }

    /// The jobs of this interactor that have not ended, the oldest first.
    public var openJobs: [OpenJob] {
        // Where nothing is kept, nothing was posted.
        (try? durability.outbox { $0.openJobs(of: $1) }) ?? []
    }

    /// The jobs of this interactor that were given up, the oldest first. The newest 100 of a
    /// session are kept.
    public var deadLetters: [DeadLetter] {
        // Where nothing is kept, nothing was given up.
        (try? durability.outbox { $0.deadLetters(of: $1) }) ?? []
    }

    /// Has a job that was given up performed again, with its key, as if it had not been tried.
    /// Returns false if there is none with that key.
    @discardableResult
    public func retry(_ key: JobKey) -> Bool { takeUp(key, again: true) }

    /// Forgets a job that was given up. Returns false if there is none with that key.
    @discardableResult
    public func forget(_ key: JobKey) -> Bool { takeUp(key, again: false) }

    private func takeUp(_ key: JobKey, again: Bool) -> Bool {
        // Where nothing is kept, nothing was given up.
        (try? durability.outbox { $0.takeUp(deadLetter: key, of: $1, again: again) }) ?? false
    }

    /// Performs a job once. Returns a closure that calls the handler for its result.
    @concurrent
    package nonisolated func attempt(_ payload: Payload, key: JobKey) async -> JobAttempt {
        let job: Job
        do throws(CBORError) {
            job = try payload.decode(Job.self)
        } catch {
            return .unreadable(error)
        }
        do {
            let result = try await perform(job, key: key)
            return .succeeded { try await self.jobSucceeded(job, result, key: key) }
        } catch {
            return .failed("\(error)")
        }
    }

    /// Tells the interactor that another attempt follows.
    package nonisolated func retrying(
        _ payload: Payload, _ failure: JobFailure, due: Int64, key: JobKey
    ) async {
        // It was read for the attempt that has failed.
        guard let job = try? payload.decode(Job.self) else { return }
        await jobRetries(job, failure, nextAttempt: Double(due) / 1000, key: key)
    }

    /// Returns a closure that calls the handler for a job that was given up.
    package nonisolated func failing(
        _ payload: Payload, _ failure: JobFailure, key: JobKey
    ) throws(CBORError) -> @Sendable () async throws -> Void {
        let job = try payload.decode(Job.self)
        return { try await self.jobFailed(job, failure, key: key) }
    }
}

/// The outcome of one attempt.
package enum JobAttempt: Sendable {
    case succeeded(@Sendable () async throws -> Void)
    case failed(String)
    /// This version of the app cannot read the job.
    case unreadable(CBORError)
}
