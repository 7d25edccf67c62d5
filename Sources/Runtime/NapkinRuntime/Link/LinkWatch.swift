// LinkWatch: checks links from time to time: unfinished frames, and memory that is no longer used.
//
// Ownership  one for the process; keeps a link until its frame is complete and its memory is freed,
//            at most two checks after its last output, or until the link ends.
// Spec       Protocol/SPEC.md, section 12 (Limits)

import NapkinCoding
import NapkinProtocol
import NapkinTransport

/// Ends the connections of peers that announce more than they send, and frees the output buffers
/// of idle links, and then the memory that the process has kept for large messages. An idle link
/// has no buffer.
@MainActor
final class LinkWatch {
    static let shared = LinkWatch()

    /// Buffers up to this size are freed after every write. Chosen: allocating so little again
    /// costs some 20 ns, of the 10 µs that a lone frame takes.
    nonisolated static let smallBytesMax = 1024
    /// The smallest large message. Chosen: the memory that it leaves is worth returning.
    nonisolated static let largeBytesMin = 1 << 20
    private static let interval = Duration.milliseconds(FrameBudget.checkMilliseconds)

    private var budget = FrameBudget()
    /// The links whose frames are unfinished, by the frame's number.
    private var unfinished: [UInt64: Link] = [:]
    /// The links that have buffered output.
    private var busy: [ObjectIdentifier: Link] = [:]
    /// The number of checks since the newest large message; `nil` if no large memory is kept.
    private var checksSinceLarge: Int?
    private var timer: LoopTimer?

    // MARK: - Frames

    /// Registers a frame that has begun, and returns its number.
    fileprivate func began(_ link: Link) -> UInt64 {
        let number = budget.frameBegan(of: link.peer?.processID ?? 0)
        unfinished[number] = link
        startChecking()
        return number
    }

    fileprivate func grew(_ number: UInt64, to bytes: Int) {
        giveUp(budget.frameGrew(number, to: bytes), "this process keeps too many of them")
    }

    fileprivate func ended(_ number: UInt64) {
        budget.frameEnded(number)
        unfinished[number] = nil
    }

    private func giveUp(_ numbers: [UInt64], _ reason: String) {
        for number in numbers {
            unfinished.removeValue(forKey: number)?.giveUpFrame(reason)
        }
    }

    // MARK: - Memory

    func watch(_ link: Link) {
        busy[ObjectIdentifier(link)] = link
        startChecking()
    }

    /// Records a large message, whose memory is returned later.
    @inline(never)
    func noteLarge() {
        checksSinceLarge = 0
        startChecking()
    }

    /// Stops watching the output of a link that has ended.
    func forget(_ link: Link) {
        if link.output.capacity >= Self.largeBytesMin { noteLarge() }
        busy[ObjectIdentifier(link)] = nil
        stopIfIdle()
    }

    // MARK: - Checking

    func check() {
        giveUp(budget.checked(), "its rest has not come for \(Limits.unfinishedSeconds) s")
        busy = busy.filter { !$0.value.freesOutput() }
        if let checks = checksSinceLarge {
            checksSinceLarge = checks == 0 ? 1 : nil
            if checks > 0 { Loop.shared.returnFreedMemory() }
        }
        stopIfIdle()
    }

    private func startChecking() {
        guard timer == nil else { return }
        timer = LoopTimer(after: Self.interval, repeating: Self.interval) { [unowned self] in
            check()
        }
    }

    private func stopIfIdle() {
        guard budget.isEmpty, busy.isEmpty, checksSinceLarge == nil else { return }
        timer?.cancel()
        timer = nil
    }
}

extension Link {
    /// Tracks a frame that has arrived in part, or is being handled.
    @inline(never)
    func noteHolding() {
        if decoder.bufferedBytes >= LinkWatch.largeBytesMin { LinkWatch.shared.noteLarge() }
        if isAcceptor { noteUnfinished() }
    }

    private func noteUnfinished() {
        guard isOpen else { return }
        if unfinished == 0 { unfinished = LinkWatch.shared.began(self) }
        LinkWatch.shared.grew(unfinished, to: decoder.bufferedBytes)
    }

    @inline(never)
    func endUnfinished() {
        guard unfinished != 0 else { return }
        LinkWatch.shared.ended(unfinished)
        unfinished = 0
    }
}
