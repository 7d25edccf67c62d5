// UnfinishedFrames: tracks the links of this process that have received part of a frame.
//
// Ownership  one for the process; keeps a link until its frame is complete or the link has ended.
// Spec       Protocol/SPEC.md, section 12 (Limits)

import NapkinCoding
import NapkinProtocol
import NapkinTransport

/// Ends the connections of peers that announce more than they send.
@MainActor
final class UnfinishedFrames {
    static let shared = UnfinishedFrames()

    private var budget = FrameBudget()
    private var links: [UInt64: Link] = [:]
    private var timer: LoopTimer?

    /// Registers a frame that has begun, and returns its number.
    func began(_ link: Link) -> UInt64 {
        let number = budget.frameBegan(of: link.peer?.processID ?? 0)
        links[number] = link
        if timer == nil {
            let interval = Duration.milliseconds(FrameBudget.lookMilliseconds)
            timer = LoopTimer(after: interval, repeating: interval) { [unowned self] in look() }
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
        giveUp(budget.looked(), "its rest has not come for \(Limits.unfinishedSeconds) s")
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

extension Link {
    /// Tracks a frame that has arrived in part, or is being handled.
    @inline(never)
    func noteHolding() {
        if decoder.bufferedBytes >= LinkMemory.largeBytesMin { LinkMemory.shared.noteLarge() }
        if isAcceptor { noteUnfinished() }
    }

    private func noteUnfinished() {
        guard isOpen else { return }
        if unfinished == 0 { unfinished = UnfinishedFrames.shared.began(self) }
        UnfinishedFrames.shared.grew(unfinished, to: decoder.bufferedBytes)
    }

    @inline(never)
    func endUnfinished() {
        guard unfinished != 0 else { return }
        UnfinishedFrames.shared.ended(unfinished)
        unfinished = 0
    }
}
