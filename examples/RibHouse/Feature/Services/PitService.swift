// PitService: the live pit of one session.
//
// Ownership  owns the ticker's task while it runs; the task holds the service weakly.
// Invariant  `latest` is changed before its change is sent, and both on this actor.

import NapkinCore
import RibHouseContract

/// The result of one tick: the event, if there was one, and the items after it.
struct PitChange: Equatable, Sendable {
    var event: PitEvent?
    var items: [PitItem]
}

/// Ticks while somebody is logged in, and keeps its items when nobody is.
actor PitService {
    private let ticker: Ticker
    private var pit = Pit()
    private var run: Task<Void, Never>?
    private nonisolated let latest = StateCell(Pit().items)
    private let changes = EventBus<PitChange>()

    init(ticker: Ticker) {
        self.ticker = ticker
    }

    /// The current items.
    nonisolated var items: [PitItem] { latest.value }

    /// Returns the current items and every change from now on, with nothing lost in between.
    func follow() -> (items: [PitItem], changes: BufferedStream<PitChange>) {
        (pit.items, changes.events)
    }

    /// Continues with the items of a former worker. Call it before anybody follows the pit.
    func resume(with items: [PitItem]) {
        pit = Pit(items: items)
        latest.value = items
    }

    /// Starts ticking, the first time after one interval; idempotent.
    func start() {
        guard run == nil else { return }
        run = ticker.start { [weak self] in
            guard let self else { return false }
            await self.tick()
            return true
        }
    }

    func stop() {
        run?.cancel()
        run = nil
    }

    private func tick() {
        // The run may have been stopped between the end of its sleep and now.
        guard !Task.isCancelled else { return }
        let event = pit.tick()
        latest.value = pit.items
        changes.send(PitChange(event: event, items: pit.items))
    }
}
