// JournalStore: the requirements of a journal for the store of its groups and images.
//
// Layer      ledger. A store knows bytes, numbers and names; it decodes nothing.
// Isolation  any thread, one at a time: the loop thread, or the thread that it was handed to.
// Invariant  after `commit` has returned, its contents survive any death of the process and, with
//            `Durability.machine`, a power cut. A commit happens whole or not at all.
// Spec       Protocol/LEDGER.md

/// The number of a session in its journal, never given twice.
package typealias SessionNumber = UInt64

/// The number of a group; groups are numbered 1, 2, 3… without a gap. 0 means before the first.
package typealias GroupNumber = UInt64

/// A session of a store.
package struct StoredSession: Equatable, Sendable {
    package var session: SessionNumber
    package var name: String
    package var id: String
    package var base: GroupNumber
    /// The size of its image.
    package var bytes = 0
}

/// A session as of a group.
package struct StoredImage: Equatable, Sendable {
    package var session: SessionNumber
    /// The name that people know it by; unique among the sessions of a store.
    package var name: String
    /// The name that its app knows it by.
    package var id: String
    /// The newest group that the image includes.
    package var base: GroupNumber
    /// The encoded `SessionImage`.
    package var bytes: [UInt8]
    /// When its first timer or job is due, in milliseconds since 1970; `nil` if none is.
    package var due: Int64?

    package init(
        session: SessionNumber, name: String, id: String? = nil, base: GroupNumber, bytes: [UInt8],
        due: Int64? = nil
    ) {
        self.session = session
        self.name = name
        self.id = id ?? name
        self.base = base
        self.bytes = bytes
        self.due = due
    }

    /// Throws if the image is not as it was written, or includes a group that is not there.
    func check(_ checksum: UInt64, newest: GroupNumber, _ path: String) throws(StoreError) {
        let isWhole = checksum == StoreFormat.checksum(of: self)
        guard isWhole, base <= newest else {
            throw StoreError(
                .damaged, path: path,
                isWhole
                    ? "session \(session) is as of group \(base), and the newest is \(newest)"
                    : "the checksum of the image of session \(session) does not match")
        }
    }
}

extension Int64? {
    /// A due time as stores write it: 0 for none. Whatever was due before 1970 is due now.
    var storedDue: UInt64 { map { UInt64(Swift.max(1, $0)) } ?? 0 }
}

/// A description of a state's type, which many sessions share.
package struct StoredSchema: Equatable, Sendable {
    /// Its number; numbers are assigned from 1, without a gap, and forever.
    package var number: UInt64
    /// The encoded `StateSchema`.
    package var bytes: [UInt8]

    package init(number: UInt64, bytes: [UInt8]) {
        self.number = number
        self.bytes = bytes
    }
}

/// The contents of one transaction.
package struct JournalCommit: Equatable, Sendable {
    /// The group's records, framed by `RecordFraming`; `nil` if only images are written.
    package var group: Group?
    /// Images that replace those of the same sessions.
    package var images: [StoredImage] = []
    /// Sessions that have ended: their images are removed.
    package var ended: [SessionNumber] = []
    /// Groups up to this number are no longer needed; 0 keeps all.
    package var trimmed: GroupNumber = 0
    /// Descriptions that the group's records are the first to use.
    package var schemas: [StoredSchema] = []
    /// When the journal's first timer or job is due after this commit, in milliseconds since 1970;
    /// 0 if none is, `nil` if that is unknown. Only a shared store keeps it.
    package var due: UInt64?

    /// Whether there are only records to write.
    var isGroupAlone: Bool {
        images.isEmpty && ended.isEmpty && schemas.isEmpty && trimmed == 0
    }

    package struct Group: Equatable, Sendable {
        package var number: GroupNumber
        package var bytes: [UInt8]

        package init(number: GroupNumber, bytes: [UInt8]) {
            self.number = number
            self.bytes = bytes
        }
    }

    package init(_ group: Group? = nil) {
        self.group = group
    }

    /// Returns the newest group with this commit, after `newest`.
    func newest(after newest: GroupNumber) -> GroupNumber {
        let last = group?.number ?? newest
        precondition(group == nil || last == newest + 1, "group \(last) after \(newest)")
        precondition(trimmed <= last, "a group that has not been is trimmed")
        return last
    }

    /// The bytes to pass to `reserve` before the commit.
    package var roomBytes: Int {
        let small = 12 * 1024
        return (group?.bytes.count ?? 0) + ended.count * small
            + images.reduce(0) { $0 + max($1.bytes.count, small) }
    }
}

/// The range of a store's groups.
package struct StoreExtent: Equatable, Sendable {
    /// The newest group; 0 if there has been none.
    package var newest: GroupNumber = 0
    /// Groups up to this one are gone.
    package var trimmed: GroupNumber = 0
    /// A new value means that the store may be older than what has been acknowledged from it.
    package var history: UInt32 = 0
    /// The damage found at opening; `nil` if there was none.
    package var damage: String?
}

/// A place for one journal. Any operation that needs it open opens it.
package protocol JournalStore: AnyObject, Sendable {
    /// The location of the store, for people.
    var path: String { get }

    /// Whether its operations may wait for another process, so that the loop cannot wait for them.
    var needsQueue: Bool { get }

    /// Opens the store, or creates it if there is none, unless that has been done; returns the
    /// range of its groups. Nobody else can commit to it from then on.
    ///
    /// Errors: `busy` if another process or machine has it; `full` if there is no room to create
    /// it, in which case the call may be repeated; `damaged`, `version`, `failed`.
    @discardableResult
    func open() throws(StoreError) -> StoreExtent

    /// Writes a commit. After an error the store must not be used again: its contents are known
    /// only when it is reopened.
    func commit(_ commit: JournalCommit) throws(StoreError)

    /// Returns the groups after `number`, in order: at most `bytesMax` bytes, but at least one.
    func groups(
        after number: GroupNumber, bytesMax: Int
    ) throws(StoreError) -> [JournalCommit.Group]

    /// Returns the sessions, in the order of their numbers.
    func sessions() throws(StoreError) -> [StoredSession]

    /// Returns the descriptions of states, in the order of their numbers.
    func schemas() throws(StoreError) -> [StoredSchema]

    /// Returns when the sessions' images are due. An image missing here contains its due time.
    func dueTimes() throws(StoreError) -> [(session: SessionNumber, due: Int64?)]

    /// Returns the session's image, without its due time; `nil` if there is no such session.
    func image(of session: SessionNumber) throws(StoreError) -> StoredImage?

    /// Makes sure that the next commit of that many bytes finds room, so that a full disk is
    /// noticed before the changes to be committed have happened. Each image and each ended session
    /// counts as at least 12 KiB. Quick while there is room; otherwise it may tidy. Throws `full`
    /// if there is no room; the store remains usable, and this may be called again later.
    func reserve(_ bytes: Int) throws(StoreError)

    /// Whether the store should be tidied soon.
    var isTidyDue: Bool { get }

    /// Does work that can wait until nothing is to be committed. Throws `full` if that needs more
    /// room than there is; the store remains usable.
    func tidy() throws(StoreError)

    /// Throws if the store is no longer where it was opened; then nothing more can be committed.
    /// Whoever opens the store next finds everything, unless the error's text names another place.
    func checkOwnership() throws(StoreError)

    /// Releases the room and the place reserved for commits, if the store was opened, because no
    /// commit is expected. The next `reserve` or commit reserves them again.
    func shrink() throws(StoreError)

    /// Copies the whole store into a new file. Throws `exists` if there is one.
    func backUp(to path: String) throws(StoreError)
}

extension JournalStore {
    /// Opens the store, and returns it.
    package func opened() throws(StoreError) -> Self {
        try open()
        return self
    }

    package var needsQueue: Bool { false }
    package var isTidyDue: Bool { false }
    package func tidy() throws(StoreError) {}
    package func checkOwnership() throws(StoreError) {}
    package func shrink() throws(StoreError) {}
}

/// The failure of a store.
package struct StoreError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of failure, by which a caller decides what to do.
    package enum Code: String, Sendable {
        /// There is no room, and the commit has not happened. From opening: nothing is stored yet.
        case full
        /// Another process uses the store.
        case busy
        /// The bytes differ from those that were written.
        case damaged
        /// It was written by a version that this one cannot read.
        case version
        /// A file of that name exists.
        case exists
        /// A database does not answer: its contents are unknown at the moment.
        case unreachable
        /// Another machine has taken the store over.
        case takenOver
        /// The system refused; the text gives its reason.
        case failed
    }

    package var code: Code
    package var path: String
    package var detail: String

    package init(_ code: Code, path: String, _ detail: String) {
        self.code = code
        self.path = path
        self.detail = detail
    }

    package var description: String { "\(path): \(detail)" }
}
