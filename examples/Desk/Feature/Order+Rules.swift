// Order+Rules: what an order may say, and when it is due.

import DeskContract
import NapkinCore

extension Order {
    /// Bytes of a command, of a name and of an environment. Chosen: what a person types; a name
    /// that fits into a line; and as much as shells with many tools have.
    static let commandBytesMax = 16_384
    static let nameBytesMax = 64
    static let environmentBytesMax = 65_536
    /// Runs that one waits for, attempts and the sides of a terminal. Chosen: more than needed.
    static let afterMax = 64
    static let retriesMax = 1000
    static let sideMax = 1000
    /// Seconds after which a start is missed, as for timers, and how many are made up for. Chosen:
    /// more than a restart takes; four days, hour by hour.
    static let lateMax: Double = 10
    static let missedMax = 100

    /// The shortest and the longest wait between two attempts, in seconds.
    var waits: ClosedRange<Double> {
        get throws(DeskError) {
            let ends = backoff.split(separator: ".").map { String($0) }
            guard 1...2 ~= ends.count else {
                throw .order("'\(backoff)' is not a backoff: write 10s..5m")
            }
            let first = try Self.seconds(ends[0])
            return first...max(first, try Self.seconds(ends[ends.count - 1]))
        }
    }

    /// Returns when it starts by itself, the first time after this one, both in seconds since 1970;
    /// `nil` if it does not.
    func firing(after time: Double) throws(DeskError) -> Double? {
        guard let text = at ?? every else { return nil }
        // It may be a time of the calendar instead.
        let span = try? Self.seconds(text)
        if at != nil, let span { return time + span }
        do throws(CalendarSchedule.Mistake) {
            return try CalendarSchedule(span == nil ? text : "every \(text)").next(after: time)
        } catch {
            throw .order(at == nil ? error.description : "\(error), or for --at a span: 90s, 2h")
        }
    }

    /// Returns the times from one that is due to now at which it starts.
    func times(from due: Double, to now: Double) -> [Double] {
        func next(after time: Double) -> Double? {
            // The words were read when the run was accepted.
            (try? firing(after: time)).flatMap { $0 <= now ? $0 : nil }
        }
        switch missed {
        case .once, nil: return [due]
        case .skip:
            if now - due <= Self.lateMax { return [due] }
            return at == nil ? [next(after: now - Self.lateMax)].compactMap(\.self) : []
        case .run:
            var times = [due]
            while at == nil, times.count < Self.missedMax,
                let time = next(after: times.last ?? due)
            {
                times.append(time)
            }
            return times
        }
    }

    /// Returns the seconds of `90s`, `10m` or `2h`, of at least one second and at most a year.
    static func seconds(_ text: String) throws(DeskError) -> Double {
        guard let span = Duration(settingText: text), .seconds(1) ... .seconds(31_622_400) ~= span
        else { throw .order("'\(text)' is not a span of time: write 90s, 10m or 2h") }
        return span / .seconds(1)
    }

    /// Throws if it cannot be run at all.
    func check() throws(DeskError) {
        guard command.contains(where: { !$0.isWhitespace }),
            command.utf8.count <= Self.commandBytesMax
        else { throw .order("a command has 1 to \(Self.commandBytesMax) bytes") }
        for text in [name, queue, group].compactMap(\.self) {
            guard 1...Self.nameBytesMax ~= text.utf8.count, Int(text) == nil,
                text.allSatisfy({ $0.isLetter || $0.isNumber || "-_.+@/".contains($0) })
            else {
                throw .order(
                    "'\(text)' cannot be a name: 1 to \(Self.nameBytesMax) letters, digits and "
                        + "-_.+@/, and not a number alone")
            }
        }
        guard after.count <= Self.afterMax, 0...Self.retriesMax ~= retries,
            1...Self.sideMax ~= rows, 1...Self.sideMax ~= columns
        else {
            throw .order(
                "a run waits for at most \(Self.afterMax) others, is tried again at most "
                    + "\(Self.retriesMax) times, and has a terminal of 1 to \(Self.sideMax) lines "
                    + "and columns")
        }
        _ = try waits
        if at != nil, every != nil { throw .order("a run has --at or --every, not both") }
    }
}
