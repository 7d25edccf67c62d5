// LogWatch: keeps an app's log small while a process that may not rotate the log prints to it.
//
// Ownership  owned by the worker's process; its timer ends when it is released.

import NapkinHost
import NapkinTransport

/// Checks a log for as long as a process that may not rotate it prints to it.
@MainActor
final class LogWatch {
    /// The shortest time between two checks of three system calls. Chosen: catches bursts early.
    private static let shortest = Duration.milliseconds(50)
    private static let longest = Duration.seconds(1)

    private let file: LogFile
    private var timer: LoopTimer?

    init(_ file: LogFile) {
        self.file = file
        check(after: Self.shortest, 0)
    }

    isolated deinit {
        timer?.cancel()
        _ = file.cut()
    }

    private func check(after pause: Duration, _ former: Int) {
        timer = LoopTimer(every: pause, repeats: false) { [weak self] in
            guard let self else { return }
            let bytes = self.file.cut()
            let isBurst = bytes == 0 ? former > 0 : bytes > former + LogFile.bytesMax
            self.check(after: isBurst ? Self.shortest : min(pause * 2, Self.longest), bytes)
        }
    }
}
