// Journal+Store: tracks the store's sessions, the thread that uses the store, and whether it has
// room and is still in its place.
//
// Isolation  @MainActor: the loop thread; the store is read where it is used.
// Spec       Protocol/LEDGER.md

import Dispatch
import NapkinCore
import NapkinTransport

extension Journal {
    /// Returns the tail of a ledger to which a record has been added.
    func tail(of ledger: SessionLedger) -> SessionTail {
        if let newestTail, newestTail.ledger === ledger { return newestTail }
        let session = ledger.image.session
        let former = tails[session]
        if let former, former.ledger === ledger {
            newestTail = former
            return former
        }
        let last = groups.needed - 1
        let stored =
            former.map { Recovery.Records(base: $0.base, newest: $0.newest) }
            ?? found.remove(session) ?? Recovery.Records(base: last, newest: last)
        let tail = SessionTail(ledger: ledger, after: stored)
        (tails[session], newestTail) = (tail, tail)
        // For a ledger restored from a former ledger's contents, the image is written.
        if former != nil, tail.grew(by: 0, in: groups.needed, isImageDue: true) {
            pending.imagesDue.append(session)
        }
        return tail
    }

    /// Writes the images left by the opening, a batch at a time.
    func storeFound() {
        openingTimer = nil
        isOpening = false
        guard !hasFailed, let session = found.next else { return }
        // A group needs at least one record.
        if refusal == nil { add(Record(session: session)) }
        openingTimer = LoopTimer(after: Self.foundInterval) { [weak self] in self?.storeFound() }
    }

    /// Keeps the records of these sessions that were found at opening, apart from their images,
    /// until `release`.
    package func hold(_ names: some Sequence<String>) { found.held.formUnion(names) }

    /// Writes the image of a session that was held, as for any other session.
    package func release(_ name: String) {
        guard found.held.remove(name) != nil, !isOpening, openingTimer == nil else { return }
        storeFound()
    }

    /// Forgets the tail of a session that has ended, or whose stored image is complete.
    func forgetTail(of session: SessionNumber) {
        (tails[session], newestTail) = (nil, nil)
    }

    /// Returns the epoch of a titled session's tree. It differs between histories, so that a
    /// front's knowledge of a tree is trusted only if it must be of this tree.
    package func epoch(of title: SessionTitle) -> UInt32 { epoch(of: title, in: history) }

    func epoch(of title: SessionTitle, in history: UInt32) -> UInt32 {
        let epochs = UInt64(UInt32.max)
        return UInt32((UInt64(title.epoch) + UInt64(history) + epochs - 1) % epochs) + 1
    }

    /// The reasons, known from the opening, why stored sessions cannot be restored, by name.
    package var damaged: [String: String] {
        let named = sessions.names.compactMap { name in
            sessions[name].flatMap { found.damaged[$0] }.map { (name, $0.reason) }
        }
        return Dictionary(uniqueKeysWithValues: named)
    }

    /// Returns the session's image; `nil` if none is stored. Throws `ImageError` if it cannot be
    /// read; other sessions are unaffected.
    package func image(named name: String) async throws -> SessionImage? {
        guard let session = sessions[name] else { return nil }
        if let damage = found.damaged[session] { throw ImageError(description: damage.reason) }
        // The stored image may lack the newest records.
        if let tail = tails[session] { return tail.ledger.image }
        if let image = found.unwritten[session] { return image }
        if let image = waitingCommit?.images.last(where: { $0.session == session }) {
            return try SessionImage(decoding: image.bytes)
        }
        if waitingCommit == nil { await waitUntilDurable() }
        let store = store
        return try await onStore { try store.readImage(of: session) }
    }

    /// Runs work where commits run, never at the same time as a commit.
    func onStore<T: Sendable>(
        _ body: @escaping @Sendable () throws -> T
    ) async throws -> T {
        usesQueue ? try await queued(body) : try body()
    }

    /// Runs a piece of a tool's work on the queue, which delays commits but not the loop.
    func onQueue<T: Sendable>(
        _ body: @escaping @Sendable (any JournalStore) throws -> T
    ) async throws -> T {
        queueUsers += 1
        defer { queueUsers -= 1 }
        let store = store
        return try await queued { try body(store) }
    }

    private func queued<T: Sendable>(
        _ body: @escaping @Sendable () throws -> T
    ) async throws -> T {
        try await withCheckedThrowingContinuation { continuation in
            queue.async {
                let result = Result(catching: body)
                // Resuming here would wake a thread of the pool, which would then wake the loop.
                Task { @MainActor in
                    Loop.keepingResumesOnLoop { continuation.resume(with: result) }
                }
            }
        }
    }

    /// Returns the session's image from the store; `nil` if memory has a newer one.
    func imageBytes(named name: String) async throws -> [UInt8]? {
        guard let session = sessions[name], tails[session] == nil else { return nil }
        let store = store
        return try await onStore { try store.image(of: session)?.bytes }
    }

    // MARK: - Descriptions of states

    /// Returns the number of a state's description, and stores a new one with the collecting group.
    /// Returns `nil` if it cannot be encoded, which ends the journal.
    func number(
        _ number: (inout SchemaTable) throws(CBORError) -> UInt64
    ) -> UInt64? {
        do throws(CBORError) {
            return try number(&schemas)
        } catch {
            fail(error)
            return nil
        }
    }

    // MARK: - Room and ownership

    /// The time between two checks for room. Chosen: four system calls a second.
    private static let roomInterval = Duration.milliseconds(250)
    /// The time between two checks that the store is where it was opened. Chosen: data acknowledged
    /// in between is lost only if the process dies as well.
    private static let ownershipInterval = Duration.seconds(1)

    func roomChecked(_ shortage: StoreError?) {
        refusal = shortage.map { "there is no room to keep it: \($0)" }
        roomTimer?.cancel()
        roomTimer = nil
        guard shortage != nil || waitingCommit != nil else { return }
        roomTimer = LoopTimer(after: Self.roomInterval) { [weak self] in self?.checkForRoom() }
    }

    private func checkForRoom() {
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

    func checkOwnershipLater() {
        ownershipTimer = LoopTimer(every: Self.ownershipInterval, repeats: false) { [weak self] in
            self?.checkOwnership()
        }
    }

    /// Ends the journal if its files have been removed.
    private func checkOwnership() {
        let store = store
        Task {
            do {
                try await onStore { try store.checkOwnership() }
                // The last check's finding no longer holds.
                if refusal != nil, roomTimer == nil { roomChecked(nil) }
                if !hasFailed { checkOwnershipLater() }
            } catch let error as StoreError where error.code == .full {
                // The file can be restored when there is room: only this process has it.
                refusal = "\(error)"
                checkOwnershipLater()
            } catch {
                fail(error)
            }
        }
    }

    /// Releases the room reserved for commits. Call it when none is expected.
    package func shrink() async {
        let store = store
        // Room that cannot be released is no loss: the next opening uses it.
        try? await onStore { try store.shrink() }
    }
}
