// LinkMemory: frees the memory of links that have been busy, and of large messages.
//
// Ownership  one for the process; keeps a link until its memory is freed, at most two checks after
//            its last output, or until the link ends.

import NapkinCoding
import NapkinTransport

/// Frees the output buffers of idle links, and then the memory that the process has kept for large
/// messages. An idle link has no buffer.
@MainActor
final class LinkMemory {
    static let shared = LinkMemory()

    /// Buffers up to this size are freed after every write. Chosen: allocating so little again
    /// costs some 20 ns, of the 10 µs that a lone frame takes.
    nonisolated static let smallBytesMax = 1024
    /// The smallest large message. Chosen: the memory that it leaves is worth returning.
    nonisolated static let largeBytesMin = 1 << 20
    private static let interval: Duration = .seconds(1)

    private var links: [ObjectIdentifier: Link] = [:]
    /// The number of checks since the newest large message; `nil` if no large memory is kept.
    private var looksSinceLarge: Int?
    private var timer: LoopTimer?

    func watch(_ link: Link) {
        links[ObjectIdentifier(link)] = link
        startLooking()
    }

    /// Records a large message, whose memory is returned later.
    @inline(never)
    func noteLarge() {
        looksSinceLarge = 0
        startLooking()
    }

    /// Stops watching a link that has ended.
    func forget(_ link: Link) {
        if link.output.capacity >= Self.largeBytesMin { noteLarge() }
        links[ObjectIdentifier(link)] = nil
        stopIfIdle()
    }

    func look() {
        links = links.filter { !$0.value.freesOutput() }
        if let looks = looksSinceLarge {
            looksSinceLarge = looks == 0 ? 1 : nil
            if looks > 0 { Loop.shared.returnFreedMemory() }
        }
        stopIfIdle()
    }

    private func startLooking() {
        guard timer == nil else { return }
        timer = LoopTimer(after: Self.interval, repeating: Self.interval) { [unowned self] in look()
        }
    }

    private func stopIfIdle() {
        guard links.isEmpty, looksSinceLarge == nil else { return }
        timer?.cancel()
        timer = nil
    }
}
