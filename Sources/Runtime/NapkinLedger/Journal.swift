// Journal: collects the records of a worker's sessions and makes them durable, group by group.
//
// Isolation  @MainActor: the loop thread. The store is used there (`.process`) or on a separate
//            queue (`.machine`, PostgreSQL), never on both at a time; it is opened on the loop.
// Ownership  owns its store; the sessions' ledgers belong to their sessions.
// Spec       Protocol/LEDGER.md

import Dispatch
package import NapkinCore
package import NapkinTransport

/// The journal of one worker.
@MainActor
package final class Journal: Flushable {
    package var isFlushScheduled = false
    /// Bytes of the collecting group, while another is written, above which no event is handled.
    /// Chosen: far below `RecordFraming.groupBytesMax`, because one handler may still add much.
    static let pendingBytesMax = 32 * 1024 * 1024
    /// The time reserved for serving the first fronts, before the images left by the opening are
    /// written. Chosen: most fronts have come back by then.
    private static let openingInterval = Duration.seconds(1)
    /// The time between two batches of those images. Chosen: events run in between.
    static let foundInterval = Duration.milliseconds(100)
    /// Groups between two checks of all sessions for those that keep groups from being trimmed.
    /// Chosen: a check takes time for every session.
    private static let checkInterval: GroupNumber = 64

    package let durability: Durability
    let store: any JournalStore
    let queue = DispatchQueue(label: "napkin.store")
    private let loop = Loop.shared
    // SAFETY: @exclusivity(unchecked), here and below: all access is on the main actor, and no
    // access spans a call of the store or of a waiter.
    @exclusivity(unchecked) var groups = GroupStateMachine(after: 0)
    @exclusivity(unchecked) var pending = Pending()
    private var waiters: [any Flushable] = []
    private var waiting: Set<ObjectIdentifier> = []
    /// The records of the collecting group.
    @exclusivity(unchecked) private var records = GroupWriter()
    /// The ledgers of logs that have grown in the collecting group.
    private var grown: [SessionLedger] = []
    /// A stretch for reuse by the next one that is opened.
    @exclusivity(unchecked) var spareStretch: SessionLedger.Stretch?
    /// The sessions with records that their stored images lack.
    @exclusivity(unchecked) var tails: [SessionNumber: SessionTail] = [:]
    /// The tail of the newest record; `nil` if its image is stored.
    @exclusivity(unchecked) var newestTail: SessionTail?
    /// The group at which all sessions are checked next.
    private var nextCheck: GroupNumber = 0
    /// The damage found at opening; `nil` if there was none.
    package private(set) var damage: String?
    /// The history that the store continues; 0 for a new store.
    private(set) var history: UInt32 = 0
    package internal(set) var sessions = StoredSessions()
    /// The sessions found at opening whose stored images are incomplete.
    var found = Recovery.Found()
    /// The commit that waits for room. All output waits for it.
    private(set) var waitingCommit: JournalCommit?
    private(set) var hasFailed = false
    private var isTidying = false
    /// The number of tasks that use the queue beside commits.
    var queueUsers = 0
    /// The reason why nothing more should be recorded at the moment; `nil` if there is room.
    @exclusivity(unchecked) package internal(set) var refusal: String? {
        didSet { scheduler.hasNoRoom = refusal != nil }
    }
    /// Checks for room from time to time, while there is none.
    var roomTimer: LoopTimer?
    var ownershipTimer: LoopTimer?
    /// Whether images left by the opening have yet to be written.
    var isOpening = true
    var openingTimer: LoopTimer?
    /// Called once, when a commit has failed: only reopening the store shows its contents.
    package var onFailure: (@MainActor (any Error) -> Void)?
    /// Called with the name of a session that is durable from now on.
    package var onStored: (@MainActor (String) -> Void)?
    /// Called when changes must wait for room, and with `nil` when they are stored.
    package var onShortage: (@MainActor (StoreError?) -> Void)?
    /// The due times of the sessions' timers and jobs.
    package let scheduler = DueScheduler()

    /// The descriptions of states.
    var schemas = SchemaTable()

    /// The contents of the collecting group so far.
    struct Pending {
        var ended: [SessionNumber] = []
        /// Images of sessions without a ledger in memory, as of this group.
        var images: [StoredImage] = []
        /// The sessions whose images are written with this group.
        var imagesDue: [SessionNumber] = []
    }

    /// Opens a journal, and brings its images up to its newest group, in memory at first.
    ///
    /// Throws `StoreError`, `RecordError`, `CBORError` or `ImageError` if the stored data cannot be
    /// used as it is. The data is then unchanged.
    ///
    /// - Parameters:
    ///   - isNew: whether there is no store yet; it is created for the first group.
    package init(
        durability: Durability, isNew: Bool = false, _ store: any JournalStore
    ) throws {
        (self.durability, self.store) = (durability, store)
        guard !isNew else {
            checkOwnershipLater()
            return
        }
        let extent: StoreExtent
        do throws(StoreError) {
            extent = try store.open()
        } catch {
            guard error.code == .full else { throw error }
            roomChecked(error)
            checkOwnershipLater()
            return
        }
        (damage, history) = (extent.damage, extent.history)
        found = try Recovery.run(on: store)
        sessions = StoredSessions(try store.sessions(), after: extent.newest)
        groups = GroupStateMachine(after: extent.newest)
        schemas = SchemaTable(try store.readSchemas())
        roomChecked(try store.shortage())
        checkOwnershipLater()
        guard !found.unwritten.isEmpty else { return }
        openingTimer = LoopTimer(after: Self.openingInterval) { [weak self] in self?.storeFound() }
    }

    /// The operations for tools.
    package var tools: JournalTools { JournalTools(journal: self) }

    // MARK: - Held output

    /// The group that output sent now must wait for.
    package var needed: GroupNumber { groups.needed }

    /// The group of records that are added now.
    package var open: GroupNumber { groups.collecting }

    /// The newest durable group; all groups before it are durable as well.
    package var durable: GroupNumber { groups.durable }

    /// Flushes the object once, when more groups have become durable.
    package func wake(_ flushable: any Flushable) {
        if waiting.insert(ObjectIdentifier(flushable)).inserted { waiters.append(flushable) }
    }

    // MARK: - Sessions

    /// Whether a change cannot be stored until there is room, so that no output is sent.
    package var isWaitingForRoom: Bool { waitingCommit != nil }

    /// Whether the store is used on the queue instead of the loop: if commits sync or wait for
    /// another process, or while the store is being tidied.
    var usesQueue: Bool {
        durability == .machine || store.needsQueue || isTidying || queueUsers > 0
    }

    /// Returns the number of a new session, whose image will be written with its first record.
    func begin(_ title: SessionTitle) -> SessionNumber {
        let session = sessions.makeNumber()
        sessions.begin(title, as: session)
        return session
    }

    func rename(_ name: String, to newName: String) {
        sessions.rename(name, to: newName)
        scheduler.renamed(name, to: newName)
    }

    /// Removes a session that has ended, even without a tree. Returns its id.
    @discardableResult
    package func end(_ name: String) -> String? {
        guard let (session, id) = sessions.end(name) else { return nil }
        scheduler.forget(name)
        pending.ended.append(session)
        forgetTail(of: session)
        found.remove(session)
        var record = Record(session: session)
        record.isEnded = true
        add(record)
        return id
    }

    // MARK: - Records

    /// Adds a session's record to the collecting group.
    ///
    /// - Parameter isImageDue: whether the session's image is written with the group.
    /// - Returns: the record's size in bytes.
    @discardableResult
    func append(
        _ record: Record, of ledger: SessionLedger, isImageDue: Bool = false
    ) -> Int {
        let bytes = add(record)
        if tail(of: ledger).grew(by: bytes, in: groups.needed, isImageDue: isImageDue) {
            pending.imagesDue.append(record.session)
        }
        return bytes
    }

    /// Writes the image of a session whose ledger is closed, and then releases the ledger.
    func writeImage(of ledger: SessionLedger) {
        let session = ledger.image.session
        guard tails[session]?.ledger === ledger else { return }
        append(Record(session: session), of: ledger, isImageDue: true)
    }

    @discardableResult
    func add(_ record: Record) -> Int {
        do {
            // Otherwise a flush is already scheduled, or a group is being written.
            if records.isEmpty, grown.isEmpty { loop.scheduleFlush(self) }
            let bytes = try records.append(record)
            if records.byteCount > Self.pendingBytesMax, refusal == nil {
                refusal = "the disk is too slow for what is to be kept"
            }
            groups.recordAdded()
            return bytes
        } catch {
            fail(error)
            return 0
        }
    }

    /// Notes that only logs have grown: one record gives their positions when the group is written.
    func logsGrew(in ledger: SessionLedger) {
        if records.isEmpty, grown.isEmpty { loop.scheduleFlush(self) }
        grown.append(ledger)
        groups.recordAdded()
    }

    private func recordLogs() {
        while let ledger = grown.popLast() { ledger.recordLogs() }
    }

    package func flush() { turnEnded() }

    /// Closes the set of records of this turn, which belong together. Call it before this turn's
    /// output is written.
    package func turnEnded() {
        recordLogs()
        guard case .write(let number) = groups.turnEnded() else { return }
        write(number)
    }

    private func write(_ number: GroupNumber) {
        let commit = makeCommit(number)
        pending = Pending()
        write(commit)
    }

    func write(_ commit: JournalCommit) {
        guard !hasFailed else { return }
        let store = store
        let write = { @Sendable () -> Result<CommitOutcome, StoreError> in
            Result { () throws(StoreError) in try store.commitIfRoom(commit) }
        }
        guard usesQueue else { return finish(write(), commit) }
        queue.async {
            let result = write()
            Task { @MainActor in self.finish(result, commit) }
        }
    }

    private func makeCommit(_ number: GroupNumber) -> JournalCommit {
        var commit = JournalCommit(.init(number: number, bytes: records.take(number)))
        // The group is complete: images made now include all of it.
        for session in pending.imagesDue { addImage(of: session, to: &commit, number) }
        let isCheckDue = number >= nextCheck
        if isCheckDue {
            // No tail is older than `SessionTail.groupsMax` before the next check.
            let oldest = number + Self.checkInterval
            for (session, tail) in tails
            where tail.isImageDue || tail.base + SessionTail.groupsMax < oldest {
                addImage(of: session, to: &commit, number)
            }
            nextCheck = oldest
        }
        if refusal == nil, !isOpening { found.write(into: &commit) }
        for var image in pending.images {
            image.base = number
            commit.images.append(image)
        }
        commit.due = scheduler.known
        commit.ended = pending.ended
        commit.schemas = schemas.takeNew()
        if isCheckDue {
            // The newest group stays, because the numbering continues from it.
            commit.trimmed = tails.values.reduce(min(number - 1, found.neededAfter ?? .max)) {
                min($0, $1.base)
            }
        }
        return commit
    }

    /// Adds a session's image, which includes all of a group, to that group's commit.
    private func addImage(
        of session: SessionNumber, to commit: inout JournalCommit, _ number: GroupNumber
    ) {
        guard let image = tails[session]?.ledger.storedImage(at: number) else { return }
        commit.images.append(image)
        forgetTail(of: session)
    }

    /// Finishes a group that is durable or waits for room.
    private func finish(
        _ result: Result<CommitOutcome, StoreError>, _ commit: JournalCommit
    ) {
        switch result {
        case .failure(let error): return fail(error)
        case .success(.noRoom(let error)):
            let isNews = waitingCommit == nil
            waitingCommit = commit
            roomChecked(error)
            guard isNews else { return }
            wakeWaiters()
            // Deferred, because a connection may be about to write.
            Task { onShortage?(error) }
            return
        case .success(.written(let shortage)):
            if waitingCommit != nil { Task { onShortage?(nil) } }
            waitingCommit = nil
            roomChecked(shortage)
            // Its image is written with its first record.
            for image in commit.images {
                if let name = sessions.stored(image.session) { onStored?(name) }
            }
        }
        recordLogs()
        let action = groups.written()
        wakeWaiters()
        if case .write(let number) = action { write(number) } else { tidyIfDue() }
    }

    private func wakeWaiters() {
        let woken = waiters
        waiters = []
        waiting = []
        for flushable in woken { loop.scheduleFlush(flushable) }
    }

    /// Moves the store's log while no commit is due; records that arrive meanwhile wait.
    private func tidyIfDue() {
        guard !isTidying, store.isTidyDue else { return }
        isTidying = true
        let store = store
        queue.async {
            let result = Result { () throws(StoreError) in try store.unlessFull(store.tidy) }
            Task { @MainActor in
                self.isTidying = false
                if case .failure(let error) = result { self.fail(error) }
            }
        }
    }

    /// Ends the journal, because memory and records differ.
    func abandon(_ error: any Error) { fail(error) }

    func fail(_ error: any Error) {
        guard !hasFailed else { return }
        hasFailed = true
        onFailure?(error)
    }

    /// Returns when all appended records are durable, or the store has failed.
    ///
    /// - Parameter givesUp: whether to return even while there is no room.
    package func waitUntilDurable(unlessFull givesUp: Bool = false) async {
        turnEnded()
        let needed = groups.needed
        while groups.durable < needed, !hasFailed, !(givesUp && isWaitingForRoom) {
            await withCheckedContinuation { wake(FlushWaiter($0)) }
        }
    }
}
