// JobAttempts: how often a job is tried, how far it has come, and why it was given up.

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

/// A job that has not ended: it is being tried, or waits for its next attempt.
public struct OpenJob: Hashable, Sendable {
    public let key: JobKey
    /// The attempts that have begun.
    public let attempts: Int
    /// Whether an attempt is under way.
    public let isUnderWay: Bool
    /// When the next attempt begins, at the earliest, in seconds since 1970; `nil` while one is
    /// under way.
    public let nextAttempt: Double?

    package init(key: JobKey, attempts: Int, isUnderWay: Bool, due: Int64) {
        (self.key, self.attempts, self.isUnderWay) = (key, attempts, isUnderWay)
        nextAttempt = isUnderWay ? nil : Double(due) / 1000
    }
}
