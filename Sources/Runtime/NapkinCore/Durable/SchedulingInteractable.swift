// SchedulingInteractable: timers that survive their process.
//
// Spec       Protocol/LEDGER.md, Records

public import NapkinCoding

/// A durable interactor that wants to be told at some time, whether its worker runs until then or
/// not.
///
/// ```swift
/// try schedule("remind", after: .seconds(3600), Reminder(table: 4))
/// ```
///
/// A timer belongs to what the handler that schedules it changes: it is durable with it, and taken
/// back with it if the handler throws. It is gone with its interactor. Its firing calls
/// ``timerFired(_:_:)`` once, over any death of the worker.
public protocol SchedulingInteractable: DurableInteractable {
    /// What a timer carries. Later versions of the app read it.
    associatedtype TimerPayload: Message

    /// The time of a timer has come. What this changes is durable together with the fact that it
    /// has run. If it throws, it has changed nothing, the worker's log says so, and the timer has
    /// fired nevertheless.
    func timerFired(_ name: String, _ payload: TimerPayload) async throws
}

/// What becomes of the firings of a timer that were missed: for which no worker ran, or whose
/// handler took longer than the interval.
public enum MissedFirings: Hashable, Sendable {
    /// The timer fires once for all of them, as soon as it can.
    case once
    /// Firings that are late by more than 10 s, or after which the next is due, are left out.
    case skip
    /// Each is made up for, one after another, the newest ones if they are more than `max`.
    case each(max: Int)
}

/// When a timer fires, and what it carries.
package struct TimerRequest: Sendable {
    package enum Start: Sendable {
        /// Milliseconds since 1970.
        case at(Int64)
        /// Milliseconds from now on.
        case after(Int64)
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
}

/// Why something of a durable interactor cannot be kept.
public struct DurableError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What a caller may do about it.
    public enum Code: Hashable, Sendable {
        /// The session is not kept: see ``App/durability``.
        case notKept
        /// The session has as many as it may have, or as many bytes of them.
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
    /// Schedules a timer that fires once. One of this interactor with the same name is replaced.
    ///
    /// - Parameters:
    ///   - name: 1 to 128 bytes.
    ///   - delay: the time from now on, by the machine's clock for the time of day.
    ///   - missed: what becomes of a firing that was missed.
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

    /// Schedules a timer that fires again and again, for the first time after one interval.
    /// Otherwise as ``schedule(_:after:missed:_:)``.
    ///
    /// - Parameters:
    ///   - name: what tells it from the interactor's other timers.
    ///   - interval: at least 100 ms. For less, and for what need not survive, use a bound task.
    ///   - missed: what becomes of firings for which nobody was there.
    ///   - payload: what the handler is given.
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
        try durability.record { (recorder, number) in
            Result { () throws(DurableError) in try recorder.schedule(request, of: number) }
        }.get()
    }

    /// Cancels a timer of this interactor, if there is one of that name. A firing that is under way
    /// goes on.
    public func cancel(_ name: String) {
        _ = durability.record { (recorder, number) in
            Result { () throws(DurableError) in recorder.cancel(name, of: number) }
        }
    }

    /// Returns whether there is a timer of that name. One that does not repeat is gone as soon as
    /// its firing has changed something.
    public func isScheduled(_ name: String) -> Bool {
        let known = durability.record { (recorder, number) in
            Result { () throws(DurableError) in recorder.isScheduled(name, of: number) }
        }
        // Where nothing is kept, nothing is scheduled.
        return (try? known.get()) ?? false
    }

    /// The timers of this interactor that were given up, by name: the worker ended each time while
    /// their handlers ran and had changed nothing. ``schedule(_:after:missed:_:)`` replaces one,
    /// ``cancel(_:)`` forgets it.
    public var deadTimers: [String: JobFailure] {
        let known = durability.record { (recorder, number) in
            Result { () throws(DurableError) in recorder.deadTimers(of: number) }
        }
        // Where nothing is kept, nothing was given up.
        return (try? known.get()) ?? [:]
    }

    /// Returns what calls the handler.
    package nonisolated func firing(
        _ name: String, _ payload: Payload
    ) throws(CBORError) -> @Sendable () async throws -> Void {
        let value = try payload.decode(TimerPayload.self)
        return { try await self.timerFired(name, value) }
    }
}

extension Payload {
    /// Encodes a value that is to be kept.
    init(keeping value: some DirectlyCodable, _ what: String) throws(DurableError) {
        do throws(CBORError) {
            try self.init { (writer) throws(CBORError) in try writer.write(value) }
        } catch {
            throw DurableError(.unsuitable, "\(what) cannot be encoded: \(error.detail)")
        }
    }
}

extension Duration {
    /// The span in milliseconds, rounded up, and at most what 64 bits have.
    package var wholeMilliseconds: Int64 {
        let (seconds, attoseconds) = components
        let part = (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000
        let (whole, overflow) = seconds.multipliedReportingOverflow(by: 1000)
        let (sum, isLarge) = whole.addingReportingOverflow(part)
        return overflow || isLarge ? (seconds < 0 ? .min : .max) : sum
    }
}
