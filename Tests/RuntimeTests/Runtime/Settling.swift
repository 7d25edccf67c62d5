// Settling: waiting for what the loop does by itself, turn by turn.

import NapkinTransport

/// Suspends until the loop has turned once more.
@MainActor
func turn() async {
    await withCheckedContinuation { continuation in
        _ = LoopTimer(after: .zero) { continuation.resume() }
    }
}

/// Turns the loop until `isSo`; false when that has not come about in many turns.
@MainActor
func settles(_ isSo: @MainActor () -> Bool) async -> Bool {
    for _ in 0..<1000 {
        if isSo() { return true }
        await turn()
    }
    return isSo()
}
