// CommitOutcome: the outcome of a commit that needs room.
//
// Invariant  a full disk is noticed before anything is written.

/// The outcome of a commit that did not fail.
enum CommitOutcome: Sendable {
    /// The commit is durable. `shortage` says why there is no room for more, if there is none.
    case written(shortage: StoreError?)
    /// There is no room for the commit, and nothing has happened: try again later.
    case noRoom(StoreError)
}

/// The room, in bytes, without which no event is handled. Chosen: the records of the handlers that
/// are under way mostly fit.
private let reservedBytes = 1024 * 1024

extension JournalStore {
    /// Commits if there is room.
    func commitIfRoom(_ commit: JournalCommit) throws(StoreError) -> CommitOutcome {
        if let shortage = try shortage(of: commit.roomBytes) { return .noRoom(shortage) }
        try self.commit(commit)
        return .written(shortage: try shortage())
    }

    /// Returns why there is no room for so many bytes; `nil` if there is room.
    func shortage(of bytes: Int = reservedBytes) throws(StoreError) -> StoreError? {
        try unlessFull { () throws(StoreError) in try reserve(bytes) }
    }

    /// Runs an operation after which the store can continue even if there is no room; returns why
    /// there is none.
    func unlessFull(_ body: () throws(StoreError) -> Void) throws(StoreError) -> StoreError? {
        do throws(StoreError) {
            try body()
            return nil
        } catch {
            guard error.code == .full else { throw error }
            return error
        }
    }
}
