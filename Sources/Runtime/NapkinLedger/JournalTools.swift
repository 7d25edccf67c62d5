// JournalTools: lists, checks, copies, rewinds and loads a journal's sessions while it is used.
//
// Isolation  @MainActor; the store is read on its queue, piece by piece, and commits come between.
// Invariant  nothing is changed before everything to be written has been checked.
// Spec       Protocol/LEDGER.md, "Tools"

import NapkinCoding
package import NapkinCore

/// A request that cannot be granted.
package struct ToolError: Error, CustomStringConvertible {
    package var description: String

    package init(description: String) { self.description = description }
}

/// Reads, copies and replaces a journal's stored sessions.
@MainActor
package struct JournalTools {
    let journal: Journal

    /// Bytes of groups and images read while commits wait. Chosen: some milliseconds.
    nonisolated static let pieceBytesMax = 1024 * 1024

    /// A stored session in a listing.
    package struct Listed: Sendable {
        package var session: StoredSession
        /// Bytes of its image and of its later records.
        package var bytes: Int
        package var newest: GroupNumber
    }

    /// Whether there is a store.
    private var hasStore: Bool { journal.groups.needed > 0 || !journal.sessions.isEmpty }

    /// Returns the stored sessions, ordered by name.
    package func list() async throws -> [Listed] {
        guard hasStore else { return [] }
        await journal.waitUntilDurable(unlessFull: true)
        let sessions = try await journal.onQueue { try $0.sessions() }
        return sessions.map { session in
            let tail = journal.tails[session.session]
            let left = journal.found.records[session.session]
            return Listed(
                session: session, bytes: session.bytes + (tail?.bytes ?? left?.bytes ?? 0),
                newest: tail?.newest ?? left?.newest ?? session.base)
        }.sorted { $0.session.name < $1.session.name }
    }

    /// Copies the store into a new file.
    package func copy(to path: String) async throws {
        guard hasStore else { throw ToolError(description: "nothing is stored yet") }
        await journal.waitUntilDurable(unlessFull: true)
        try await journal.onQueue { try $0.backUp(to: path) }
    }

    // MARK: - One session

    /// Returns the session's image and its newest records; `nil` if it is not stored.
    package func history(of name: String) async throws -> SessionHistory? {
        await journal.waitUntilDurable(unlessFull: true)
        guard let session = journal.sessions[name] else { return nil }
        let until = journal.durable
        var history: SessionHistory?
        var position: GroupNumber = 0
        repeat {
            let (former, after) = (history?.oldest, position)
            let piece = try await journal.onQueue {
                try Self.piece(of: session, since: former, after: after, in: $0)
            }
            guard let piece else { return nil }
            // The image has been rewritten meanwhile, and the groups before it may be gone.
            if let image = piece.image { history = image }
            history?.entries += piece.entries
            position = piece.last ?? until
        } while position < until
        history?.entries.removeAll { $0.group > until }
        return history
    }

    private struct Piece: Sendable {
        /// The image, unless it is unchanged.
        var image: SessionHistory?
        var last: GroupNumber?
        var entries: [SessionHistory.Entry] = []
    }

    /// Returns the groups after a given group or, if the session's image differs from that of
    /// `former`, the image and the groups after it; `nil` if the session has ended. Groups that are
    /// gone held nothing that the image lacks.
    private nonisolated static func piece(
        of session: SessionNumber, since former: GroupNumber?, after group: GroupNumber,
        in store: any JournalStore
    ) throws -> Piece? {
        guard let stored = try store.image(of: session) else { return nil }
        var piece = Piece()
        if stored.base != former {
            let image = try SessionImage(decoding: stored.bytes)
            piece.image = SessionHistory(image: image, oldest: stored.base)
        }
        let start = piece.image == nil ? group : stored.base
        let groups = try store.groups(after: start, bytesMax: pieceBytesMax)
        piece.last = groups.last?.number
        for group in groups {
            for bytes in try RecordFraming.records(in: group.bytes, number: group.number) {
                let record = try Record(decoding: bytes)
                guard record.session == session else { continue }
                piece.entries.append(
                    .init(group: group.number, record: record, bytes: bytes.count))
            }
        }
        return piece
    }

    // MARK: - Writing images

    /// Returns a session as a file for another journal, with the descriptions of its states; `nil`
    /// if it is not stored.
    package func export(_ name: String, of app: String) async throws -> [UInt8]? {
        guard let history = try await history(of: name) else { return nil }
        let (image, schemas) = try await history.image().described(by: journal.schemas.all)
        return try await SessionExport.file(
            of: image, app: app, record: history.newest, schemas: schemas)
    }

    /// Stores a session from an image of another journal, under an unused name. Throws if the name
    /// has been taken meanwhile.
    ///
    /// - Parameter schemas: the descriptions of its states, at least as many as it has numbers.
    package func adopt(_ image: SessionImage, _ schemas: [StateSchema] = []) async throws {
        try checkRoom()
        var image = numbered(image, by: schemas)
        image.session = journal.sessions.makeNumber()
        let bytes = try await image.encodedAside()
        guard !journal.sessions.holds(image.title.name) else {
            throw ToolError(description: "there is already a session '\(image.title.name)'")
        }
        journal.sessions.begin(image.title, as: image.session)
        replace(with: image, bytes)
        await journal.waitUntilDurable()
    }

    /// Replaces what is stored of a session by the session as it was exported from this journal.
    package func putBack(_ session: String, from file: [UInt8]) async throws {
        let (export, exported) = try await SessionExport.read(file)
        var image = numbered(exported, by: export.schemas)
        image.title.name = session
        image.session = journal.sessions[session] ?? 0
        try await rewind(to: image)
    }

    /// Returns an image with the numbers that its descriptions have in this journal.
    private func numbered(_ image: SessionImage, by schemas: [StateSchema]) -> SessionImage {
        var image = image
        for index in image.nodes.indices {
            image.nodes[index].schema = image.nodes[index].schema.flatMap { number in
                guard number > 0 else { return nil }
                return journal.number { (known) throws(CBORError) in
                    try known.number(of: schemas[Int(number) - 1])
                }
            }
        }
        return image
    }

    /// Replaces everything stored of a session by the image. Nothing may record into it any more.
    ///
    /// Throws if the session has ended meanwhile, or if the store fails.
    package func rewind(to image: SessionImage) async throws {
        try checkRoom()
        let bytes = try await image.encodedAside()
        guard journal.sessions[image.title.name] == image.session else {
            throw ToolError(description: "the session has ended meanwhile")
        }
        replace(with: image, bytes)
        await journal.waitUntilDurable()
        guard !journal.hasFailed else {
            throw ToolError(description: "the store has failed: nothing was changed")
        }
    }

    /// Throws while the image to be written would have to wait for room.
    private func checkRoom() throws {
        if let refusal = journal.refusal { throw ToolError(description: refusal) }
    }

    private func replace(with image: SessionImage, _ bytes: [UInt8]) {
        journal.forgetTail(of: image.session)
        journal.found.remove(image.session)
        let due = DueImage(image).earliest()
        journal.scheduler.found(image.title.name, due)
        // A group needs at least one record; the image already includes this one.
        var record = Record(session: image.session)
        record.title = image.title
        journal.add(record)
        journal.pending.images.removeAll { $0.session == image.session }
        journal.pending.images.append(
            StoredImage(
                session: image.session, name: image.title.name, id: image.title.id, base: 0,
                bytes: bytes, due: due))
    }
}
