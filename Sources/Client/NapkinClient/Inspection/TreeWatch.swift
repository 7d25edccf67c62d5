// TreeWatch: trees that are shown again whenever something in them changes.
//
// Ownership  owns only the trees seen so far; the connection belongs to its command.
// Spec       Protocol/TOOLS.md, section 5 (Observing)

import NapkinFront
import NapkinProtocol
import NapkinTransport

/// Waits for changes: napkind passes the query on, and the worker answers when there is one.
@MainActor
final class TreeWatch {
    /// The time between two attempts while no worker runs. Chosen: a person hardly waits longer.
    static let idleInterval: Duration = .milliseconds(500)
    /// The time after which a worker that does not answer is named. Chosen: after a death, the next
    /// one runs by then.
    static let silenceMax: Duration = .seconds(1)
    /// Attempts before an expected worker is given up. Chosen: as long as a start takes.
    static let triesMax = 20

    private let daemon: DaemonConnection
    private let interval: Duration
    private let withInventory: Bool
    private let changed: ([SessionTree]) -> Void
    private var trees: [String: [SessionTree]] = [:]
    private var shown: [SessionTree]?
    private var subjectCount = 0
    private var ended: CheckedContinuation<ClientFailure, Never>?

    /// - Parameter changed: called with all trees, at first and after each change.
    init(
        _ daemon: DaemonConnection, every interval: Duration, withInventory: Bool,
        changed: @escaping ([SessionTree]) -> Void
    ) {
        self.daemon = daemon
        self.interval = interval
        self.withInventory = withInventory
        self.changed = changed
    }

    /// Watches until something fails, and returns the failure.
    func run(_ subjects: [Subject]) async -> ClientFailure {
        subjectCount = Set(subjects.map(\.app)).count
        return await withCheckedContinuation { continuation in
            ended = continuation
            for subject in subjects {
                Task {
                    let failure = await watch(subject)
                    ended.take()?.resume(returning: failure)
                }
            }
        }
    }

    private func watch(_ subject: Subject) async -> ClientFailure {
        var digest: UInt64?
        var tries = 0
        var heard = ContinuousClock.now
        var isNamed = false
        while true {
            do throws(FrontError) {
                let sample: TreeSample = try await daemon.query(
                    subject.watch(since: digest, every: interval, withInventory: withInventory))
                tries = 0
                heard = .now
                isNamed = false
                if sample.digest != digest, let now = sample.trees { show(now, of: subject) }
                digest = sample.digest
                // napkind answers at once that no worker runs.
                if sample.digest == 0 { await LoopTimer.wait(Self.idleInterval) }
            } catch {
                let isPassing = error.refusal == .workerUnavailable && tries < Self.triesMax
                guard isPassing else { return ended(subject, digest, error) }
                tries += 1
                if !isNamed, ContinuousClock.now - heard > Self.silenceMax {
                    isNamed = true
                    ClientFailure(error).report()
                }
                await LoopTimer.wait(Self.idleInterval)
            }
        }
    }

    private func show(_ now: [SessionTree], of subject: Subject) {
        trees[subject.app] = now
        // One app's answer is not the whole picture, and may not change it.
        guard trees.count == subjectCount else { return }
        let all = trees.values.flatMap(\.self).sorted { $0.session < $1.session }
        guard all != shown else { return }
        shown = all
        changed(all)
    }

    private func ended(
        _ subject: Subject, _ digest: UInt64?, _ error: FrontError
    ) -> ClientFailure {
        guard let session = subject.session, digest != nil, error.refusal == .unknownSession else {
            return ClientFailure(error)
        }
        return ClientFailure.unavailable("session '\(session)' has ended or was renamed")
    }
}
