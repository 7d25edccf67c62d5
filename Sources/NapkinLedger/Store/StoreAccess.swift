// StoreAccess: a journal's store, opened when it is first used.
//
// Isolation  any thread (Mutex); used in one place at a time.

import Synchronization

/// A journal's store, which is opened when it is first used.
final class StoreAccess: Sendable {
    /// Bytes for which there must be room, or no event is handled. Chosen.
    private static let reservedBytes = 1024 * 1024

    /// What has become of a commit that did not fail.
    enum Outcome: Sendable {
        /// It is durable. If there is no room for more, this is why.
        case written(shortage: StoreError?)
        /// There is no room for it, and nothing has happened: try again later.
        case noRoom(StoreError)
    }

    private let open: @Sendable () throws(StoreError) -> any JournalStore
    private let store = Mutex<(any JournalStore)?>(nil)

    init(_ open: @escaping @Sendable () throws(StoreError) -> any JournalStore) {
        self.open = open
    }

    /// Commits if there is room; a disk that is full is met before anything is written.
    func commit(_ commit: JournalCommit) -> Result<Outcome, StoreError> {
        Result { () throws(StoreError) in
            do throws(StoreError) {
                try opened().reserve(commit.roomBytes)
            } catch {
                guard error.code == .full else { throw error }
                return .noRoom(error)
            }
            try opened().commit(commit)
            return .written(shortage: try shortage())
        }
    }

    var isTidyDue: Bool { store.withLock { $0?.isTidyDue() } ?? false }

    func tidy() -> Result<Void, StoreError> {
        Result { () throws(StoreError) in
            do throws(StoreError) {
                try opened().tidy()
            } catch {
                // Without room the store goes on as it is.
                guard error.code == .full else { throw error }
            }
        }
    }

    /// Throws if what is stored has gone, if the store was opened.
    func checkPlace() throws(StoreError) {
        try store.withLock { (store) throws(StoreError) in try store?.checkPlace() }
    }

    /// Gives back the room that a store keeps for commits, if it was opened.
    func shrink() throws(StoreError) {
        try store.withLock { (store) throws(StoreError) in try store?.shrink() }
    }

    /// Returns why there is no room for more; `nil` if there is some.
    func shortage() throws(StoreError) -> StoreError? {
        do {
            try opened().reserve(Self.reservedBytes)
            return nil
        } catch {
            guard error.code == .full else { throw error }
            return error
        }
    }

    func opened() throws(StoreError) -> any JournalStore {
        try store.withLock { (store) throws(StoreError) in
            if let store { return store }
            let opened = try open()
            store = opened
            return opened
        }
    }
}
