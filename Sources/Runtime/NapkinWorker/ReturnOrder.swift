// ReturnOrder: lets fronts with suspect events come back after the others.
//
// Spec       Protocol/SPEC.md, section 9.6 (Inputs that end their worker)

import NapkinProtocol
import NapkinTransport

/// The return of the fronts of a worker that has died, to the process that follows it.
@MainActor
final class ReturnOrder {
    /// The number of fronts that were attached when the former process died.
    private let expected: Int
    private var returned = 0
    private var waiting: [CheckedContinuation<Void, Never>] = []
    private var deadline: LoopTimer?
    private var isOver = false

    init(expecting fronts: Int) { expected = fronts }

    /// A front has been attached.
    func attached() {
        guard !isOver else { return }
        returned += 1
        endIfComplete()
    }

    /// Returns when all others are back, at the latest after `Limits.suspectMilliseconds`.
    func turnOfSuspect() async {
        guard !isOver else { return }
        deadline =
            deadline
            ?? LoopTimer(after: .milliseconds(Limits.suspectMilliseconds)) { [weak self] in
                self?.end()
            }
        await withCheckedContinuation { continuation in
            waiting.append(continuation)
            endIfComplete()
        }
    }

    private func endIfComplete() {
        if returned + waiting.count >= expected { end() }
    }

    private func end() {
        isOver = true
        deadline?.cancel()
        let waiting = waiting
        self.waiting = []
        Loop.keepingResumesOnLoop { for continuation in waiting { continuation.resume() } }
    }
}
