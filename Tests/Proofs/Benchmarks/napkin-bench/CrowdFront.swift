// CrowdFront: one of many attachments, all in the benchmark's process.

import Histogram
import NapkinCore
import NapkinFront
import NapkinTransport

/// What the fronts of a crowd note together.
@MainActor
final class CrowdNotes {
    // SAFETY: @exclusivity(unchecked), here and below: on the main actor, and no access spans a
    // call of anybody else.
    @exclusivity(unchecked) fileprivate(set) var latencies = Report.histogram()
    @exclusivity(unchecked) private var missing = 0
    private var waiter: CheckedContinuation<Void, Never>?
    /// Deliveries since the last `expect(_:)`.
    @exclusivity(unchecked) private(set) var count = 0

    /// Begins anew: so many deliveries are to come.
    func expect(_ deliveries: Int) {
        // A new one costs more than a hundred effects, whose times are not recorded.
        if latencies.totalCount > 0 { latencies = Report.histogram() }
        missing = deliveries
        count = 0
    }

    /// Returns when all that was expected has come.
    func complete() async {
        if missing > 0 { await withCheckedContinuation { waiter = $0 } }
    }

    fileprivate func delivered(_ stamp: CrowdStamp) {
        guard stamp.number > 0 else { return }
        latencies.record(Placement.now() - stamp.nanoseconds)
        came(1)
    }

    fileprivate func came(_ deliveries: Int) {
        count += deliveries
        missing -= deliveries
        guard missing == 0, let waiter = waiter.take() else { return }
        Loop.keepingResumesOnLoop { waiter.resume() }
    }
}

/// Attaches to a session of the crowd's app, and takes what is pushed.
@MainActor
final class CrowdFront: Surface {
    let front: Front
    fileprivate(set) var listener: (any CrowdPresentableListener)?
    /// The effects that the worker has dropped because the front did not keep up.
    private(set) var skippedEffects = 0
    /// The items of the log that were not presented.
    private(set) var skippedLines = 0
    /// The number of the newest state that has come.
    private var newest = 0
    private var waiting: (number: Int, continuation: CheckedContinuation<Void, Never>)?
    /// Told the number of each state that comes.
    var whenPresented: (Int) -> Void = { _ in }
    private let notes: CrowdNotes
    private var shown: CheckedContinuation<Void, Never>?
    private var run: Task<Void, Never>?

    init(_ socket: String, app: String = CrowdApp.id, session: String, _ notes: CrowdNotes) {
        self.notes = notes
        let registry = ViewRegistry()
        front = Front(
            at: DaemonAddress(socket: socket),
            options: FrontOptions(app: app, session: session, client: "napkin-bench"),
            registry: registry)
        registry.register(Crowd.self) { [unowned self, notes] context in
            listener = context.listener
            return CrowdView(front: self, notes)
        }
        front.surface = self
    }

    /// Returns when the session is shown.
    func attach() async {
        let front = front
        run = Task {
            if case .failed(let error) = await front.run() { fatalError("\(error)") }
        }
        if listener == nil { await withCheckedContinuation { shown = $0 } }
    }

    func detach() async {
        front.detach()
        await run?.value
    }

    /// Returns when it shows the state of that number.
    func shows(_ number: Int) async {
        if newest != number { await withCheckedContinuation { waiting = (number, $0) } }
    }

    fileprivate func presented(_ stamp: CrowdStamp) {
        newest = stamp.number
        if let waiting, waiting.number == newest {
            self.waiting = nil
            Loop.keepingResumesOnLoop { waiting.continuation.resume() }
        }
        whenPresented(stamp.number)
        notes.delivered(stamp)
    }

    fileprivate func skipped(_ gap: LogGap) {
        skippedLines += gap.items.count
        notes.came(gap.items.count)
    }

    func front(_ front: Front, applied changes: [TreeChange]) {
        let shown = shown.take()
        Loop.keepingResumesOnLoop { shown?.resume() }
    }
    func front(_ front: Front, skippedStates states: Int, effects: Int) {
        skippedEffects += effects
        notes.came(effects)
    }
    func front(_ front: Front, disconnected reason: String) {
        fatalError("a front was disconnected: \(reason)")
    }
}

@MainActor
private final class CrowdView: CrowdPresentable, LogFollower {
    private unowned let front: CrowdFront
    private let notes: CrowdNotes

    init(front: CrowdFront, _ notes: CrowdNotes) {
        self.front = front
        self.notes = notes
    }

    func present(stamp: CrowdStamp) async { front.presented(stamp) }
    func flash(_ stamp: CrowdStamp) async { notes.came(1) }
    func output(_ line: String) async { notes.came(1) }
    func skipped(_ gap: LogGap) { front.skipped(gap) }
}
