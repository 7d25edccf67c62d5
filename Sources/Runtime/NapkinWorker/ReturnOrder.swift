// ReturnOrder: lets suspect inputs run after the other fronts have come back.
//
// Spec       Protocol/SPEC.md, section 9.6 (Inputs that end their worker)

import NapkinProtocol
import NapkinTransport

/// The return of the fronts of a worker that has died, to the process that follows it.
@MainActor
final class ReturnOrder {
    /// The milliseconds after the last return. Chosen: an event that is sent again is answered
    /// sooner.
    private static let graceMilliseconds = 50

    /// The number of fronts that were attached when the former process died.
    private let expected: Int
    private var returned = 0
    /// The fronts that wait for their turn.
    private var suspectFronts = 0
    private var waiting: [CheckedContinuation<Void, Never>] = []
    private var deadline: LoopTimer?
    private var areOthersBack = false
    private var isOver = false

    init(expecting fronts: Int) { expected = fronts }

    /// A front has been attached.
    func attached() {
        guard !isOver else { return }
        returned += 1
        endIfComplete()
    }

    /// Returns when all others are back and served, at the latest after
    /// `Limits.suspectMilliseconds`.
    ///
    /// - Parameter isFront: whether a front waits.
    func turnOfSuspect(isFront: Bool) async {
        guard !isOver else { return }
        if isFront { suspectFronts += 1 }
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
        guard !areOthersBack, returned + suspectFronts >= expected else { return }
        areOthersBack = true
        if returned == 0 { return end() }
        deadline?.cancel()
        deadline = LoopTimer(after: .milliseconds(Self.graceMilliseconds)) { [weak self] in
            self?.end()
        }
    }

    private func end() {
        isOver = true
        deadline?.cancel()
        let waiting = waiting
        self.waiting = []
        Loop.keepingResumesOnLoop { for continuation in waiting { continuation.resume() } }
    }
}
