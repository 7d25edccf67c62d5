// Load: a number of callers, each with one event outstanding at a time.

import Histogram

/// Sends events and measures each.
@MainActor
final class Load {
    // SAFETY: @exclusivity(unchecked), here and below: on the main actor, and no access spans a
    // call of anybody else.
    /// Latencies of the last run in nanoseconds.
    @exclusivity(unchecked) private(set) var histogram = Report.histogram()
    private let listener: any BenchPresentableListener
    @exclusivity(unchecked) private var left = 0
    private var failure: (any Error)?

    init(_ listener: any BenchPresentableListener) {
        self.listener = listener
    }

    /// Sends `count` events, `outstanding` of them at a time. Throws what the first failure was.
    func run(_ count: Int, outstanding: Int) async throws {
        histogram = Report.histogram()
        left = count
        let callers = (0..<outstanding).map { id in Task { await call(Int64(id)) } }
        for caller in callers { await caller.value }
        if let failure { throw failure }
    }

    private func call(_ id: Int64) async {
        let item = CartItem.standard(id)
        do {
            while left > 0 {
                left -= 1
                let start = Placement.now()
                _ = try await listener.add(item)
                histogram.record(Placement.now() - start)
            }
        } catch {
            failure = failure ?? error
            left = 0
        }
    }
}
