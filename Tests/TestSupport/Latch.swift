// Latch: holds tasks until it is opened, and does not care for their cancellation.

import NapkinCore

/// Closed at first; open for good after `open()`.
///
/// Its tasks wait on the main actor and are resumed there, in the order in which they came. The
/// continuations of Swift's runtime resume by way of its pool, whose threads keep no order.
@MainActor
package final class Latch {
    private var isOpen = false
    private var gates: [Gate] = []

    package nonisolated init() {}

    package func open() {
        isOpen = true
        for gate in gates { gate.open() }
        gates = []
    }

    package func wait() async {
        guard !isOpen else { return }
        let gate = Gate()
        gates.append(gate)
        await gate.pass()
    }
}

/// Sleeps until the calling task is cancelled.
package func untilCancelled() async {
    let (stream, continuation) = AsyncStream.makeStream(of: Never.self)
    for await _ in stream {}
    continuation.finish()
}

/// Lets the tasks that are ready run, so that they reach their next suspension.
package func letOthersRun() async {
    for _ in 0..<20 { await Task.yield() }
}
