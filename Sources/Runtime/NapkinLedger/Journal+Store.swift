// Journal+Store: which sessions the store has, where it is used, and whether it has room and is in
// its place.
//
// Isolation  @MainActor: the loop thread; the store is looked at where it is used.
// Spec       Protocol/LEDGER.md

import Dispatch
import NapkinCore
import NapkinTransport

extension Journal {
    /// Returns the tail of a ledger, a record of which has been added.
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
        // If it has been restored from what a former ledger had, the image is written.
        if former != nil, tail.grew(by: 0, in: groups.needed, isImageDue: true) {
            pending.imagesDue.append(session)
        }
        return tail
    }

    /// Writes the images that the opening has left, some at a time.
    func storeFound() {
        openingTimer = nil
        isOpening = false
        guard !hasFailed, let session = found.unwritten.keys.first else { return }
        // A group has a record at least.
        if refusal == nil { add(Record(session: session)) }
        openingTimer = LoopTimer(after: Self.foundInterval) { [weak self] in self?.storeFound() }
    }

    /// The session's image has everything, or the session has ended.
    func forgetTail(of session: SessionNumber) {
        (tails[session], newestTail) = (nil, nil)
    }

    /// The epoch of the tree of a session with this title: another one in each history, so that
    /// what fronts know of a tree is believed only where it cannot be of another.
    package func epoch(of title: SessionTitle) -> UInt32 { epoch(of: title, in: history) }

    func epoch(of title: SessionTitle, in history: UInt32) -> UInt32 {
        let epochs = UInt64(UInt32.max)
        return UInt32((UInt64(title.epoch) + UInt64(history) + epochs - 1) % epochs) + 1
    }

    /// The names of the stored sessions.
    package var names: [String] { stored.keys.sorted() }

    /// The ids of the stored sessions.
    package var ids: Set<String> { Set(stored.values.map(\.id)) }

    /// The names of the stored sessions, with their ids.
    package var titles: [(name: String, id: String)] {
        stored.map { ($0.key, $0.value.id) }.sorted { $0.name < $1.name }
    }

    /// Whether no session is stored.
    package var isEmpty: Bool { stored.isEmpty }

    package func holds(_ name: String) -> Bool { stored[name] != nil }

    /// Whether the session would be there after a death.
    package func keeps(_ name: String) -> Bool {
        stored[name].map { unkept[$0.session] == nil } ?? false
    }

    /// Why stored sessions cannot be restored, by name, as far as the opening has found out.
    package var damaged: [String: String] {
        stored.compactMapValues { found.damaged[$0.session]?.reason }
    }

    /// Returns the session's image; `nil` if none is stored. Throws `ImageError` if it cannot be
    /// read; the other sessions go on.
    package func image(named name: String) async throws -> SessionImage? {
        guard let session = stored[name]?.session else { return nil }
        if let damage = found.damaged[session] { throw ImageError(description: damage.reason) }
        // It may not have been written since its newest records.
        if let tail = tails[session] { return tail.ledger.image }
        if let image = found.unwritten[session] { return image }
        if let image = waitingCommit?.images.last(where: { $0.session == session }) {
            return try SessionImage(decoding: image.bytes)
        }
        if waitingCommit == nil { await settle() }
        let store = store
        return try await onStore { try store.readImage(of: session) }
    }

    /// Does what must not run beside a commit: there, where commits run.
    func onStore<T: Sendable>(
        _ body: @escaping @Sendable () throws -> T
    ) async throws -> T {
        guard usesQueue else { return try body() }
        return try await withCheckedThrowingContinuation { continuation in
            queue.async {
                let result = Result(catching: body)
                // Here it would wake a thread of the pool, and that one the loop.
                Task { @MainActor in
                    Loop.keepingResumesOnLoop { continuation.resume(with: result) }
                }
            }
        }
    }

    /// Does a piece of a tool's work where it holds up commits, and not the loop.
    func onQueue<T: Sendable>(
        _ body: @escaping @Sendable (any JournalStore) throws -> T
    ) async throws -> T {
        queueUsers += 1
        defer { queueUsers -= 1 }
        let store = store
        return try await withCheckedThrowingContinuation { continuation in
            queue.async {
                continuation.resume(with: Result { try body(store) })
            }
        }
    }

    /// Returns the session's image as it is in the store; `nil` if it is newer in memory.
    func imageBytes(named name: String) async throws -> [UInt8]? {
        guard let session = stored[name]?.session, tails[session] == nil else { return nil }
        let store = store
        return try await onStore { try store.image(of: session)?.bytes }
    }

    // MARK: - Descriptions of states

    /// Returns the number of a state's description, which is stored with the collecting group if it
    /// is new; `nil` if it cannot be encoded, with which the journal ends.
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

    // MARK: - Room and place

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

    /// Gives back the room that is kept for commits. Call it when none is expected.
    package func shrink() async {
        let store = store
        // What cannot be given back is no loss: the next opening uses it.
        try? await onStore { try store.shrink() }
    }
}
