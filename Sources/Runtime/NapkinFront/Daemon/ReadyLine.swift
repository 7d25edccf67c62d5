// ReadyLine: the pipe on which a daemon reports that it listens.
//
// Ownership  owns both ends: closes the daemon's when it waits, its own when it is released.

import Glibc
import NapkinTransport

/// A ready pipe: give `daemonsEnd` to a new daemon as its `--ready-fd`, then await
/// `arrives(within:)`.
@MainActor
package final class ReadyLine {
    private let ownEnd: Int32
    /// Open until the wait begins. The daemon inherits a copy under another number.
    package private(set) var daemonsEnd: Int32

    package init() throws(FrontError) {
        var ends: (Int32, Int32) = (-1, -1)
        let made = withUnsafeMutablePointer(to: &ends) {
            $0.withMemoryRebound(to: Int32.self, capacity: 2) { Glibc.pipe($0) }
        }
        guard made == 0 else { throw FrontError(.spawnFailed, "cannot create a pipe") }
        (ownEnd, daemonsEnd) = ends
        // No process started meanwhile may keep a copy open, apart from the daemon.
        _ = fcntl(ownEnd, F_SETFD, FD_CLOEXEC)
        _ = fcntl(daemonsEnd, F_SETFD, FD_CLOEXEC)
    }

    deinit {
        if daemonsEnd >= 0 { close(daemonsEnd) }
        close(ownEnd)
    }

    /// Returns whether the daemon is ready; false if it ended or did not report within `time`.
    package func arrives(within time: Duration? = nil) async -> Bool {
        closeDaemonsEnd()
        var watcher: DescriptorWatcher?
        var timer: LoopTimer?
        defer {
            watcher?.cancel()
            timer?.cancel()
        }
        return await withCheckedContinuation { continuation in
            var isDone = false
            @MainActor func end(_ isReady: Bool) {
                guard !isDone else { return }
                isDone = true
                Loop.keepingResumesOnLoop { continuation.resume(returning: isReady) }
            }
            do {
                watcher = try DescriptorWatcher(ownEnd) { [ownEnd] in
                    var byte: UInt8 = 0
                    end(read(ownEnd, &byte, 1) == 1)
                }
            } catch {
                end(false)
            }
            if let time { timer = LoopTimer(deadline: time) { end(false) } }
        }
    }

    private func closeDaemonsEnd() {
        guard daemonsEnd >= 0 else { return }
        close(daemonsEnd)
        daemonsEnd = -1
    }
}
