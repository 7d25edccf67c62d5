// MeasuringClock: reads the time for measurements and traces.
//
// Spec       clock_gettime(2), vdso(7): makes no system call.

import Glibc

/// Readings of the kernel's clocks.
package enum MeasuringClock {
    /// The time in nanoseconds of a clock that never goes back.
    package static var nanoseconds: UInt64 { read(CLOCK_MONOTONIC) }

    /// The same, 4 ms behind at most, for a sixth of the price (8 ns, measured).
    static var coarseNanoseconds: UInt64 { read(CLOCK_MONOTONIC_COARSE) }

    /// The time in microseconds since 1970.
    static var wallMicroseconds: UInt64 { read(CLOCK_REALTIME) / 1000 }

    private static func read(_ clock: clockid_t) -> UInt64 {
        var time = timespec()
        clock_gettime(clock, &time)
        return UInt64(time.tv_sec) &* 1_000_000_000 &+ UInt64(time.tv_nsec)
    }
}
