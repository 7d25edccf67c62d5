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

    /// How often and when a job is tried again. By default ten times within about 20 minutes.
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

/// Why a job was given up.
public struct JobFailure: Error, Hashable, Sendable {
    /// How often it was tried.
    public let attempts: Int
    /// The error of the last attempt, at most 1,000 bytes.
    public let reason: String

    package init(attempts: Int, reason: String) {
        self.attempts = attempts
        self.reason = reason
    }
}

/// A job that was given up.
public struct DeadLetter: Hashable, Sendable {
    public let key: JobKey
    public let failure: JobFailure

    package init(key: JobKey, failure: JobFailure) {
        self.key = key
        self.failure = failure
    }
}

/// How often a job is tried, and how long one waits between two attempts: twice as long each time,
/// less a random part of up to a half.
public struct JobAttempts: Hashable, Sendable {
    public var most: Int
    public var first: Duration
    public var longest: Duration

    /// - Parameters:
    ///   - most: the number of attempts, at least 1.
    ///   - first: the wait after the first attempt.
    ///   - longest: the longest wait.
    public init(most: Int = 10, first: Duration = .seconds(2), longest: Duration = .seconds(600)) {
        self.most = max(1, most)
        self.first = first
        self.longest = longest
    }

    /// Returns the wait after an attempt, in milliseconds.
    ///
    /// - Parameter part: the fraction of the random half to subtract, from 0 to 1.
    package func delay(after attempt: Int, less part: Double) -> Int64 {
        let longest = Double(max(0, longest.wholeMilliseconds))
        let first = Double(max(0, first.wholeMilliseconds))
        let doublings = Double(1 << (min(max(1, attempt), 41) - 1))
        let whole = min(longest, first * doublings)
        // Far below 2^63, whatever an author has chosen.
        return Int64(min(whole * (1 - part / 2), 1e15))
    }
}

extension PostingInteractable {
    public static var attempts: JobAttempts { JobAttempts() }

    /// Posts a job, which is performed once this handler's changes are durable.
    ///
    /// - Parameter job: at most 64 KiB when encoded.
    /// - Throws: ``DurableError``. Nothing has been posted then.
    @discardableResult
    public func post(_ job: Job) throws(DurableError) -> JobKey {
        let payload = try Payload(keeping: job, "a job")
        return try durability.outbox { (outbox, number) throws(DurableError) in
            try outbox.post(payload, of: number)
        }
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
