// LocalTime: how far a local wall clock is ahead of UTC, and the time of day.
//
// Isolation  value; any thread.

import Glibc

/// The local time of a place: its offset from UTC at any instant.
public struct LocalTime: Sendable {
    /// The machine's, from `TZ` or `/etc/localtime`.
    public static let machine = LocalTime { instant in
        // Without it, a change of the machine's zone is not noticed.
        tzset()
        var (time, parts) = (time_t(instant), tm())
        return localtime_r(&time, &parts) == nil ? 0 : Int64(parts.tm_gmtoff)
    }

    /// The seconds by which the local clock is ahead at an instant in seconds since 1970.
    package let offset: @Sendable (Int64) -> Int64

    /// - Parameter offset: returns the seconds by which the local clock is ahead, less than a day,
    ///   at an instant in seconds since 1970.
    public init(_ offset: @escaping @Sendable (Int64) -> Int64) { self.offset = offset }

    /// Returns the instant at which the local clock shows `local`, in seconds as if since 1970: the
    /// first if there are two. If there is none, the instant is later by as much as the clocks were
    /// put forward.
    func instant(of local: Int64) -> Int64 {
        let day: Int64 = 86400
        let (before, after) = (offset(local - day), offset(local + day))
        let earlier = local - before
        if offset(earlier) == before { return earlier }
        let later = local - after
        return offset(later) == after ? later : earlier
    }
}

/// The time of day, which people and machines may set: the machine's, or one that a test moves.
public struct WallClock: Sendable {
    public static let machine = WallClock {
        // As numbers: the members of `timespec` belong to a module that nothing may import.
        withUnsafeTemporaryAllocation(of: Int.self, capacity: 2) { parts in
            parts.initialize(repeating: 0)
            _ = parts.withMemoryRebound(to: timespec.self) { time in
                time.baseAddress.map { clock_gettime(CLOCK_REALTIME, $0) }
            }
            return Double(parts[0]) + Double(parts[1]) / 1e9
        }
    }

    private let read: @Sendable () -> Double

    public init(_ read: @escaping @Sendable () -> Double) { self.read = read }

    /// Seconds since 1970.
    public var unixTime: Double { read() }
}
