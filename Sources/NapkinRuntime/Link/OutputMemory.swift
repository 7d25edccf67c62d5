// OutputMemory: links that have written much lately, and still have the memory for it.
//
// Layer      runtime.
// Isolation  @MainActor: the loop thread.
// Ownership  one for the process; keeps a link until its memory is freed, two looks at most after
//            its last output, or it ends.

import NapkinTransport

/// Frees the output buffers of links that rest. An idle link has none.
@MainActor
final class OutputMemory {
    static let shared = OutputMemory()

    /// Buffers up to this size are freed whenever they have been written. Chosen: allocating so
    /// little again costs some 20 ns, of the 10 µs that a lone frame takes.
    nonisolated static let smallBytesMax = 1024
    private static let interval: Duration = .seconds(1)

    private var links: [ObjectIdentifier: Link] = [:]
    private var timer: LoopTimer?

    func watch(_ link: Link) {
        links[ObjectIdentifier(link)] = link
        guard timer == nil else { return }
        timer = LoopTimer(after: Self.interval, repeating: Self.interval) { [unowned self] in look()
        }
    }

    /// The link has ended.
    func forget(_ link: Link) {
        links[ObjectIdentifier(link)] = nil
        stopIfIdle()
    }

    func look() {
        links = links.filter { !$0.value.freesOutput() }
        stopIfIdle()
    }

    private func stopIfIdle() {
        guard links.isEmpty else { return }
        timer?.cancel()
        timer = nil
    }
}
