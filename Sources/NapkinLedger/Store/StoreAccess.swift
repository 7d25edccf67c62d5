// StoreAccess: a journal's store, opened when it is first used.
//
// Layer      ledger.
// Isolation  any thread (Mutex); used in one place at a time.

import Synchronization

/// A journal's store, which is opened when it is first used.
final class StoreAccess: Sendable {
    /// Bytes for which there must be room, or no event is handled. Chosen.
    private static let reservedBytes = 1024 * 1024

    private let open: @Sendable () throws(StoreError) -> any JournalStore
    private let store = Mutex<(any JournalStore)?>(nil)

    init(_ open: @escaping @Sendable () throws(StoreError) -> any JournalStore) {
        self.open = open
    }

    /// Commits; returns why there is no room for more, or fails.
    func commit(_ commit: JournalCommit) -> Result<StoreError?, StoreError> {
        Result { () throws(StoreError) in
            try opened().commit(commit)
            return try shortage()
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
