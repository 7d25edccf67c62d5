// SchedulingInteractable: timers that survive their process.
//
// Spec       Protocol/LEDGER.md, Records

public import NapkinCoding

/// A durable interactor that sets timers, which fire whether or not its worker runs until then.
///
/// ```swift
/// try schedule("remind", after: .seconds(3600), Reminder(table: 4))
/// ```
///
/// A timer belongs to the change of the handler that schedules it: it becomes durable with that
/// change, and is rolled back with it if the handler throws. It ends with its interactor. It calls
/// ``timerFired(_:_:)`` once per firing, even if the worker dies in between.
public protocol SchedulingInteractable: DurableInteractable {
    /// The payload of a timer. Later versions of the app must be able to read it.
    associatedtype TimerPayload: Message

    /// Handles a timer that fired. The handler's changes become durable together with the firing.
    /// If it throws, its changes are rolled back, the worker's log says so, and the timer still
    /// counts as fired.
    func timerFired(_ name: String, _ payload: TimerPayload) async throws
}

/// The policy for missed firings: those for which no worker ran, or that came due while the handler
/// took longer than the interval.
public enum MissedFirings: Hashable, Sendable {
    /// The timer fires once for all of them, as soon as it can.
    case once
    /// Skips firings that are more than 10 s late, or after which the next is already due.
    case skip
    /// The timer fires once for each, one after another: for the newest `max` if there are more.
    case each(max: Int)
}

/// The schedule and the payload of a timer.
package struct TimerRequest: Sendable {
    package enum Start: Sendable {
        /// Milliseconds since 1970.
        case at(Int64)
        /// Milliseconds from now on.
        case after(Int64)
        /// The next time of a schedule, and then each of its times.
        case calendar(CalendarSchedule)
    }

    package let name: String
    package let start: Start
    /// Milliseconds between two firings; `nil` for one firing.
    package let interval: Int64?
    package let missed: MissedFirings
    package let payload: Payload

    package init(
        _ name: String, _ start: Start, every interval: Int64? = nil,
        missed: MissedFirings = .once, _ payload: Payload
    ) {
        self.name = name
        self.start = start
        self.interval = interval
        self.missed = missed
        self.payload = payload
    }

    package var calendar: CalendarSchedule? {
        if case .calendar(let schedule) = start { schedule } else { nil }
    }
}

/// A timer, a job or a value of a durable interactor that cannot be kept.
public struct DurableError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The reason, in terms of what a caller can do about it.
    public enum Code: Hashable, Sendable {
        /// The session is not kept: see ``App/durability``.
        case notKept
        /// The session has reached its limit of timers or jobs, or of their bytes.
        case tooMany
        /// The name, the time or the value is not one that can be kept.
        case unsuitable
    }

    public let code: Code
    public let description: String

    package init(_ code: Code, _ description: String) {
        self.code = code
        self.description = description
    }
}

extension SchedulingInteractable {
    /// Schedules a timer that fires once. Replaces this interactor's timer of the same name.
    ///
    /// - Parameters:
    ///   - name: 1 to 128 bytes.
    ///   - delay: the time from now on, by the machine's time-of-day clock.
    ///   - missed: the policy for a missed firing.
    ///   - payload: at most 16 KiB when encoded.
    /// - Throws: ``DurableError``. Nothing has been scheduled then.
    public func schedule(
        _ name: String, after delay: Duration, missed: MissedFirings = .once,
        _ payload: TimerPayload
    ) throws(DurableError) {
        let start = TimerRequest.Start.after(delay.wholeMilliseconds)
        try schedule(name, start, every: nil, missed, payload)
    }

    /// Schedules a timer that fires once, at a time in seconds since 1970, such as
    /// `date.timeIntervalSince1970`; if it has passed, at once. Otherwise as
    /// ``schedule(_:after:missed:_:)``.
    public func schedule(
        _ name: String, atUnixTime seconds: Double, missed: MissedFirings = .once,
        _ payload: TimerPayload
    ) throws(DurableError) {
        guard let due = Int64(exactly: (seconds * 1000).rounded(.up)) else {
            throw DurableError(.unsuitable, "timer '\(name)': \(seconds) s is not a time")
        }
        try schedule(name, .at(due), every: nil, missed, payload)
    }

    /// Schedules a timer that fires repeatedly, first after one interval. Otherwise the same as
    /// ``schedule(_:after:missed:_:)``.
    ///
    /// - Parameters:
    ///   - name: the timer's name, unique within the interactor.
    ///   - interval: at least 100 ms. For shorter intervals, and for work that need not survive the
    ///     worker, use a bound task.
    ///   - missed: the policy for missed firings.
    ///   - payload: the value passed to the handler.
    public func schedule(
        _ name: String, every interval: Duration, missed: MissedFirings = .once,
        _ payload: TimerPayload
    ) throws(DurableError) {
        let milliseconds = interval.wholeMilliseconds
        try schedule(name, .after(milliseconds), every: milliseconds, missed, payload)
    }

    private func schedule(
        _ name: String, _ start: TimerRequest.Start, every interval: Int64?,
        _ missed: MissedFirings, _ payload: TimerPayload
    ) throws(DurableError) {
        let request = TimerRequest(
            name, start, every: interval, missed: missed,
            try Payload(keeping: payload, "what timer '\(name)' carries"))
        try durability.outbox { (outbox, number) throws(DurableError) in
            try outbox.schedule(request, of: number)
        }
    }

    /// Schedules a timer that fires at the times of a schedule in local time. Otherwise the same as
    /// ``schedule(_:after:missed:_:)``.
    ///
    /// ```swift
    /// try schedule("report", CalendarSchedule("weekdays 07:00"), Report())
    /// ```
    public func schedule(
        _ name: String, _ calendar: CalendarSchedule, missed: MissedFirings = .once,
        _ payload: TimerPayload
    ) throws(DurableError) {
        try schedule(name, .calendar(calendar), every: nil, missed, payload)
    }

    /// Returns when the timer of that name fires next, in seconds since 1970; `nil` if there is
    /// none. One that does not repeat is gone as soon as its firing has changed something.
    public func nextFiring(_ name: String) -> Double? {
        // Where nothing is kept, nothing is scheduled.
        (try? durability.outbox { $0.nextFiring(name, of: $1) }).map { Double($0) / 1000 }
    }

    /// Cancels a timer of this interactor, if there is one of that name. A firing that is under way
    /// goes on.
    public func cancel(_ name: String) {
        // Where nothing is kept, nothing is scheduled.
        try? durability.outbox { $0.cancel(name, of: $1) }
    }

    /// Returns whether there is a timer of that name; see ``nextFiring(_:)``.
    public func isScheduled(_ name: String) -> Bool { nextFiring(name) != nil }

    /// The timers of this interactor that were given up, by name: the worker ended each time while
    /// their handlers ran and had changed nothing. ``schedule(_:after:missed:_:)`` replaces one,
    /// ``cancel(_:)`` forgets it.
    public var deadTimers: [String: JobFailure] {
        // Where nothing is kept, nothing was given up.
        (try? durability.outbox { $0.deadTimers(of: $1) }) ?? [:]
    }

    /// Returns a closure that calls the handler.
    package nonisolated func firing(
        _ name: String, _ payload: Payload
    ) throws(CBORError) -> @Sendable () async throws -> Void {
        let value = try payload.decode(TimerPayload.self)
        return { try await self.timerFired(name, value) }
    }
}

extension Payload {
    /// Encodes a value for the record.
    init(keeping value: some DirectlyCodable, _ what: String) throws(DurableError) {
        do throws(CBORError) {
            try self.init { (writer) throws(CBORError) in try writer.write(value) }
        } catch {
            throw DurableError(.unsuitable, "\(what) cannot be encoded: \(error.detail)")
        }
    }
}

extension Duration {
    /// The duration in milliseconds, rounded up and clamped to 64 bits.
    package var wholeMilliseconds: Int64 {
        let (seconds, attoseconds) = components
        let part = (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000
        let (whole, overflow) = seconds.multipliedReportingOverflow(by: 1000)
        let (sum, isLarge) = whole.addingReportingOverflow(part)
        return overflow || isLarge ? (seconds < 0 ? .min : .max) : sum
    }
}
