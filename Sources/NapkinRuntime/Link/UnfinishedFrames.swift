// UnfinishedFrames: the links of this process on which a frame has begun and not ended.
//
// Layer      runtime: performs what FrameBudget decides.
// Isolation  @MainActor: the loop thread.
// Ownership  one for the process; keeps a link until its frame is complete or the link has ended.
// Spec       Protocol/SPEC.md, section 12 (Limits)

import NapkinCoding
import NapkinProtocol
import NapkinTransport

/// Ends the connections of peers that announce more than they send.
@MainActor
final class UnfinishedFrames {
    static let shared = UnfinishedFrames()

    /// The time between two searches for overdue frames. Chosen: a tenth of a frame's time limit.
    private static let lookInterval = Duration.seconds(Limits.unfinishedSeconds) / 10

    private var budget = FrameBudget()
    private var links: [UInt64: Link] = [:]
    private var timer: LoopTimer?

    /// Registers a frame that has begun, and returns its number.
    func began(_ link: Link) -> UInt64 {
        let number = budget.frameBegan(of: link.peer?.processID ?? 0, at: Loop.shared.now)
        links[number] = link
        if timer == nil {
            timer = LoopTimer(after: Self.lookInterval, repeating: Self.lookInterval) {
                [unowned self] in look()
            }
        }
        return number
    }

    func grew(_ number: UInt64, to bytes: Int) {
        giveUp(budget.frameGrew(number, to: bytes), "this process keeps too many of them")
    }

    func ended(_ number: UInt64) {
        budget.frameEnded(number)
        links[number] = nil
    }

    private func look() {
        let overdue = budget.timePassed(to: Loop.shared.now)
        giveUp(overdue, "its rest has not come for \(Limits.unfinishedSeconds) s")
        guard budget.isEmpty else { return }
        timer?.cancel()
        timer = nil
    }

    private func giveUp(_ numbers: [UInt64], _ reason: String) {
        for number in numbers {
            links.removeValue(forKey: number)?.giveUpFrame(reason)
        }
    }
}
