// Threads: which threads of the kernel have run something.
//
// The main actor has no thread of its own here: after a suspension it may go on in another one, and
// in one that has just run something else. So a test holds the main actor until what it has begun
// has noted its thread: that one is another, or waits for ever.

import Dispatch
import Glibc
import Synchronization

public final class Threads: Sendable {
    /// Chosen: far longer than anything waits for a thread, and within a test's time limit.
    private static let timeout = DispatchTimeInterval.seconds(20)

    private let noted = Mutex<[String]>([])
    private let signal = DispatchSemaphore(value: 0)

    public init() {}

    public var all: [String] { noted.withLock { $0 } }

    /// Notes the thread that runs this.
    public func note() {
        let thread = Self.current()
        noted.withLock { $0.append(thread) }
        signal.signal()
    }

    /// Holds the calling thread until something has been noted. Returns whether that, and all
    /// before it, was noted by other threads.
    public func areElsewhere() -> Bool {
        let here = Self.current()
        return signal.wait(timeout: .now() + Self.timeout) == .success && !all.contains(here)
    }

    /// `pid/task/tid`, asked of the kernel: `pthread_self` is declared constant, so that the
    /// compiler may move it across a hop.
    public static func current() -> String {
        var text = [CChar](repeating: 0, count: 64)
        let count = readlink("/proc/thread-self", &text, text.count)
        return String(
            decoding: text.prefix(max(0, count)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
