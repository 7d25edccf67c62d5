// LinkMemory: the memory of links that have written much lately, and of large messages.
//
// Ownership  one for the process; keeps a link until its memory is freed, two looks at most after
//            its last output, or it ends.

import NapkinCoding
import NapkinTransport

/// Frees the output buffers of links that rest, and then what the process has kept for large
/// messages. An idle link has none.
@MainActor
final class LinkMemory {
    static let shared = LinkMemory()

    /// Buffers up to this size are freed whenever they have been written. Chosen: allocating so
    /// little again costs some 20 ns, of the 10 µs that a lone frame takes.
    nonisolated static let smallBytesMax = 1024
    /// Messages from this size on are large. Chosen: what they leave is worth giving back.
    nonisolated static let largeBytesMin = 1 << 20
    private static let interval: Duration = .seconds(1)

    private var links: [ObjectIdentifier: Link] = [:]
    /// How often it has looked since the newest large message; `nil` if nothing is kept for others.
    private var looksSinceLarge: Int?
    private var timer: LoopTimer?

    func watch(_ link: Link) {
        links[ObjectIdentifier(link)] = link
        startLooking()
    }

    /// There has been a large message.
    @inline(never)
    func noteLarge() {
        looksSinceLarge = 0
        startLooking()
    }

    /// The link has ended.
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
