// Journal+Room: whether there is room for more, and whether the store is still in its place.
//
// Isolation  @MainActor: the loop thread; the store is looked at where it is used.

import NapkinTransport

extension Journal {
    /// The time after which room is looked for again. Chosen.
    private static let roomInterval = Duration.milliseconds(250)
    /// The time between two looks whether the store is where it was opened. Chosen: what is
    /// acknowledged meanwhile is lost only if the process dies, too.
    private static let placeInterval = Duration.seconds(1)

    func roomChecked(_ shortage: StoreError?) {
        refusal = shortage.map { "there is no room to keep it: \($0)" }
        roomTimer?.cancel()
        roomTimer = nil
        guard shortage != nil || waitingCommit != nil else { return }
        roomTimer = LoopTimer(after: Self.roomInterval) { [weak self] in self?.lookForRoom() }
    }

    private func lookForRoom() {
        if let waitingCommit { return write(waitingCommit) }
        let store = store
        Task {
            do {
                roomChecked(try await onStore { try store.shortage() })
            } catch {
                fail(error)
            }
        }
    }

    func checkPlaceLater() {
        placeTimer = LoopTimer(after: Self.placeInterval) { [weak self] in self?.checkPlace() }
    }

    /// Ends the journal if somebody has removed what it is kept in.
    private func checkPlace() {
        let store = store
        Task {
            do {
                try await onStore { try store.checkPlace() }
                // What the last look has found is over.
                if refusal != nil, roomTimer == nil { roomChecked(nil) }
                if !hasFailed { checkPlaceLater() }
            } catch let error as StoreError where error.code == .full {
                // It can be put back when there is room: only this process has it.
                refusal = "\(error)"
                checkPlaceLater()
            } catch {
                fail(error)
            }
        }
    }
}
