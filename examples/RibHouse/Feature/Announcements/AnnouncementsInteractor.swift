// AnnouncementsInteractor: announces a last call first, and then posts the items.
//
// Invariant  a tick's items are posted after its last call has been presented, and kept with it.

import NapkinCore
import RibHouseContract

/// What announcements tell their parent.
protocol AnnouncementsListener: AnyObject, Sendable {
    /// Returns when every front has been sent the call.
    func announcementsDidHearLastCall(for item: String) async
    /// Returns when the items are kept.
    func announcementsWillPost(_ items: [PitItem]) async
}

/// The only reader of the pit, and the only writer of the board.
///
/// Two readers of two streams would race: nothing orders what one presents against what the other
/// does. One reader that awaits its listener before it passes the same tick on has no such race.
final actor AnnouncementsInteractor: Interactable {
    nonisolated let lifecycle = InteractorLifecycle()
    private let pit: PitService
    private let board: StateCell<[PitItem]>
    private weak var listener: (any AnnouncementsListener)?

    init(listener: any AnnouncementsListener, pit: PitService, board: StateCell<[PitItem]>) {
        self.listener = listener
        self.pit = pit
        self.board = board
    }

    func didBecomeActive() async {
        // Here and not in the task, so that the pit is already followed when attaching has ended.
        let (items, changes) = await pit.follow()
        if items != board.value { board.value = items }
        task {
            for await change in changes {
                await self.announce(change)
            }
        }
    }

    private func announce(_ change: PitChange) async {
        if case .lastCall(let item) = change.event {
            await listener?.announcementsDidHearLastCall(for: item)
        }
        await listener?.announcementsWillPost(change.items)
        board.value = change.items
    }
}
