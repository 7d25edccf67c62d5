// Journal+Stored: which sessions are stored, what their images lack, and how their states are
// described.
//
// Isolation  @MainActor: the loop thread; the store is read where it is used.
// Spec       Protocol/LEDGER.md

import Dispatch
import NapkinCore
import NapkinTransport

extension Journal {
    /// What a session has recorded since its image was stored.
    @MainActor
    final class Tail {
        let ledger: SessionLedger
        /// The group up to which the stored image has everything.
        let base: GroupNumber
        // SAFETY: @exclusivity(unchecked), here and below: all access is on the main actor, and no
        // access spans a call of other code.
        /// The group of the newest record.
        @exclusivity(unchecked) private(set) var newest: GroupNumber
        @exclusivity(unchecked) private(set) var bytes: Int
        /// Whether the image is to be written with the collecting group.
        @exclusivity(unchecked) private(set) var isImageDue = false

        init(ledger: SessionLedger, after stored: Recovery.Records) {
            self.ledger = ledger
            (base, newest, bytes) = (stored.base, stored.newest, stored.bytes)
        }

        /// A record has been added. Returns whether the image is due now, and was not before.
        func grew(by count: Int, in group: GroupNumber, isImageDue isDue: Bool) -> Bool {
            let wasDue = isImageDue
            bytes += count
            newest = group
            if isDue || bytes > max(Journal.tailBytesMax, 2 * ledger.imageBytes) {
                isImageDue = true
            }
            return isImageDue && !wasDue
        }
    }

    /// Returns the tail of a ledger, a record of which has been added.
    func tail(of ledger: SessionLedger) -> Tail {
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
        let tail = Tail(ledger: ledger, after: stored)
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

    /// Returns the session's image as it is in the store; `nil` if it is newer in memory.
    func imageBytes(named name: String) async throws -> [UInt8]? {
        guard let session = stored[name]?.session, tails[session] == nil else { return nil }
        let store = store
        return try await onStore { try store.image(of: session)?.bytes }
    }

    // MARK: - Descriptions of states

    /// Returns the description with this number; `nil` if it is not there or cannot be read.
    func schema(_ number: UInt64?) -> StateSchema? {
        guard let number, number > 0, number <= schemas.count else { return nil }
        return schemas[Int(number) - 1]
    }

    /// Returns whether this is the number of a type's description as it is now.
    func isNumber(_ number: UInt64?, of type: any DurableState.Type) -> Bool {
        if let known = schemaNumbers[ObjectIdentifier(type)] { return known == number }
        guard let number, schema(number) == StateSchema(of: type) else { return false }
        schemaNumbers[ObjectIdentifier(type)] = number
        return true
    }

    /// Returns the number of a state's description, which is stored with the collecting group if it
    /// is new.
    func number(of type: any DurableState.Type) -> UInt64? {
        if let number = schemaNumbers[ObjectIdentifier(type)] { return number }
        let number = number(of: StateSchema(of: type))
        schemaNumbers[ObjectIdentifier(type)] = number
        return number
    }

    /// Returns a description's number, as above.
    func number(of schema: StateSchema) -> UInt64? {
        let known = schemas.firstIndex(of: schema)
        let number = UInt64(known ?? schemas.count) + 1
        if known == nil {
            do throws(CBORError) {
                let bytes = try Payload { (writer) throws(CBORError) in try writer.write(schema) }
                pending.schemas.append(StoredSchema(number: number, bytes: bytes.bytes))
                schemas.append(schema)
            } catch {
                fail(error)
                return nil
            }
        }
        return number
    }
}
