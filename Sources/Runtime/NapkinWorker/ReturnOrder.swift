// ReturnOrder: lets suspect inputs run after the other fronts have come back.
//
// Spec       Protocol/SPEC.md, section 9.6 (Inputs that end their worker)

import NapkinProtocol
import NapkinTransport

/// The order in which a dead worker's fronts are served by its next process.
@MainActor
final class ReturnOrder {
    /// The milliseconds after the last return. Chosen: an event that is sent again is answered
    /// sooner.
    private static let graceMilliseconds = 50

    /// The number of fronts that were attached when the former process died.
    private let expected: Int
    private var returned = 0
    /// The fronts with a suspect event that wait for their turn or have had it.
    private var suspects: Set<UInt64> = []
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

    /// Returns when all others are back and served. Those that are not back after
    /// `Limits.suspectMilliseconds` are not waited for.
    ///
    /// - Parameter front: the front with the suspect event; `nil` for a timer or job.
    func turnOfSuspect(of front: UInt64?) async {
        guard !isOver else { return }
        if let front { suspects.insert(front) }
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
        guard !areOthersBack, returned + suspects.count >= expected else { return }
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
