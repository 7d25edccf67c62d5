// WorkerMeter: measures a worker's use of memory and processor, and reports excess.
//
// Ownership  owned by the worker's supervisor; its timer ends when it is released.
// Spec       Protocol/MANIFEST.md, section 5 (Limits)

import NapkinHost
import NapkinProtocol
import NapkinTransport

/// Checks one process for as long as it lives, whether or not its loop answers.
@MainActor
final class WorkerMeter {
    /// The exceeded limit, with a sentence about it.
    enum Excess {
        case memory(String)
        case processor(String)
    }

    /// The time between two checks. Chosen: a check takes 18 µs (measured).
    private static let interval = Duration.seconds(1)

    let pid: Int32
    private let limits: AppLimits
    private let log: LogWatch?
    private var processor = UsageWindow(
        milliseconds: UInt64(AppLimits.processorWindowSeconds) * 1000)
    private var timer: LoopTimer?
    private let onExcess: (Excess) -> Void

    /// - Parameter onExcess: called at each check while a limit is exceeded.
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

    /// Rounds up, so that a value above a limit does not read as if it were at the limit.
    private static func mebibytes(_ bytes: Int) -> Int { (bytes + (1 << 20) - 1) >> 20 }
}
