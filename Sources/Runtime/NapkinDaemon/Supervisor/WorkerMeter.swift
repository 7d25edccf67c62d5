// WorkerMeter: looks at what a worker uses, and says when it is too much.
//
// Ownership  owned by the worker's supervisor; its timer ends when it is released.
// Spec       Protocol/MANIFEST.md, section 5 (Limits)

import NapkinHost
import NapkinProtocol
import NapkinTransport

/// Looks at one process as long as it lives, whether or not its loop answers.
@MainActor
final class WorkerMeter {
    /// What there was too much of, and a sentence about it.
    enum Excess {
        case memory(String)
        case processor(String)
    }

    /// The time between two looks. Chosen: a look takes 18 µs (measured).
    private static let interval = Duration.seconds(1)

    let pid: Int32
    private let limits: AppLimits
    private let log: LogWatch?
    private var processor = UsageWindow(
        milliseconds: UInt64(AppLimits.processorWindowSeconds) * 1000)
    private var timer: LoopTimer?
    private let onExcess: (Excess) -> Void

    /// - Parameter onExcess: called at each look while there is too much of something.
    init(
        of pid: Int32, _ limits: AppLimits, log: LogWatch?, onExcess: @escaping (Excess) -> Void
    ) {
        (self.pid, self.limits, self.log, self.onExcess) = (pid, limits, log, onExcess)
        guard limits.memory != nil || limits.processor != nil else { return }
        look()
        timer = LoopTimer(after: Self.interval, repeating: Self.interval) { [weak self] in
            self?.look()
        }
    }

    isolated deinit { timer?.cancel() }

    private func look() {
        guard let usage = ProcessFigures(of: pid) else { return }
        let milliseconds = processor.looked(usage.processorMilliseconds, at: Loop.shared.now)
        if let most = limits.memory, usage.bytes > most {
            let used = Self.mebibytes(usage.bytes)
            return onExcess(
                .memory("it used \(used) MiB of memory, and \(Self.limit(ofMemory: most))"))
        }
        if let most = limits.processor, milliseconds > UInt64(most) * 1000 {
            onExcess(
                .processor(
                    "it used \(milliseconds / 1000) s of processor time in "
                        + "\(AppLimits.processorWindowSeconds) s, and its limit is \(most) s: "
                        + "'processor' in 'limits' of its manifest"))
        }
    }

    static func limit(ofMemory bytes: Int) -> String {
        "its limit is \(mebibytes(bytes)) MiB: 'memory' in 'limits' of its manifest"
    }

    /// Rounds up, so that what is above a limit does not read as if it were at it.
    private static func mebibytes(_ bytes: Int) -> Int { (bytes + (1 << 20) - 1) >> 20 }
}
