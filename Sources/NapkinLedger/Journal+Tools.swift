// Journal+Tools: what tools do with a journal while it is used: list, check, copy, rewind, load.
//
// Layer      ledger. No code of an app's author runs here.
// Isolation  @MainActor; the store is read on its queue, piece by piece, and commits come between.
// Invariant  nothing is changed before everything that is to be written has been checked.
// Spec       Protocol/LEDGER.md, "Tools"

import Dispatch
import NapkinCoding
package import NapkinCore

/// The records of a session that its image lacks, and the image before them.
package struct SessionHistory: Sendable {
    package struct Entry: Sendable {
        package var group: GroupNumber
        package var record: Record
        package var bytes: Int
    }

    /// The session as of `oldest`.
    package var image: SessionImage
    package var oldest: GroupNumber
    package var entries: [Entry] = []
}

extension SessionHistory {
    /// The newest group up to which there is something.
    package var newest: GroupNumber { entries.last?.group ?? oldest }

    /// Returns the session as of a group. Runs beside the loop: deltas of large states take long.
    @concurrent
    package func image(at group: GroupNumber = .max) async throws -> SessionImage {
        var image = image
        for entry in entries where entry.group <= group { try image.apply(entry.record) }
        return image
    }
}

extension SessionImage {
    /// Encodes beside the loop.
    @concurrent
    package func encodedAside() async throws -> [UInt8] { try encoded() }

    /// Returns this image with those of a journal's descriptions that its states need, by whose
    /// places they are numbered.
    func described(by all: [StateSchema?]) -> (SessionImage, [StateSchema]) {
        var image = self
        var schemas: [StateSchema] = []
        for index in nodes.indices {
            let number = nodes[index].schema ?? 0
            guard number > 0, number <= all.count, let schema = all[Int(number) - 1] else {
                image.nodes[index].schema = nil
                continue
            }
            let known = schemas.firstIndex(of: schema)
            if known == nil { schemas.append(schema) }
            image.nodes[index].schema = UInt64(known ?? schemas.count - 1) + 1
        }
        return (image, schemas)
    }
}

/// A request that cannot be granted.
package struct ToolError: Error, CustomStringConvertible {
    package var description: String

    package init(description: String) { self.description = description }
}

extension Journal {
    /// Bytes of groups and images that are read while commits wait. Chosen: some milliseconds.
    nonisolated static let pieceBytesMax = 1024 * 1024

    /// A stored session as it is listed.
    package struct Listed: Sendable {
        package var session: StoredSession
        /// Bytes of its image and of its records after that.
        package var bytes: Int
        package var newest: GroupNumber
    }

    /// Whether there is a store.
    private var hasStore: Bool { groups.needed > 0 || !stored.isEmpty }

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

    /// Returns the stored sessions, in the order of their names.
    package func list() async throws -> [Listed] {
        guard hasStore else { return [] }
        await settle()
        let sessions = try await onQueue { try $0.sessions() }
        return sessions.map { session in
            let tail = tails[session.session]
            let left = found.records[session.session]
            return Listed(
                session: session, bytes: session.bytes + (tail?.bytes ?? left?.bytes ?? 0),
                newest: tail?.newest ?? left?.newest ?? session.base)
        }.sorted { $0.session.name < $1.session.name }
    }

    /// Copies the store into a new file.
    package func copy(to path: String) async throws {
        guard hasStore else { throw ToolError(description: "nothing is stored yet") }
        await settle()
        try await onQueue { try $0.backUp(to: path) }
    }

    /// Gives back the room that is kept for commits. Call it when none is expected.
    package func shrink() async {
        let store = store
        // What cannot be given back is no loss: the next opening uses it.
        try? await onStore { try store.shrink() }
    }

    // MARK: - One session

    /// Returns the session's image and its newest records; `nil` if it is not stored.
    package func history(of name: String) async throws -> SessionHistory? {
        await settle()
        guard let session = stored[name]?.session else { return nil }
        let until = durable
        var history: SessionHistory?
        var position: GroupNumber = 0
        repeat {
            let (former, after) = (history?.oldest, position)
            let piece = try await onQueue {
                try Self.piece(of: session, since: former, after: after, in: $0)
            }
            guard let piece else { return nil }
            // Its image has been written meanwhile, and the groups before that may be gone.
            if let image = piece.image { history = image }
            history?.entries += piece.entries
            position = piece.last ?? until
        } while position < until
        history?.entries.removeAll { $0.group > until }
        return history
    }

    private struct Piece: Sendable {
        /// The image, unless it is the one from before.
        var image: SessionHistory?
        var last: GroupNumber?
        var entries: [SessionHistory.Entry] = []
    }

    /// Returns what there is after a group or, if the session's image is another than that of
    /// `former`, after the image; `nil` if the session has ended. Groups that are gone had nothing
    /// that the image lacks.
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

    /// Returns the image for another journal, with the descriptions of its states, whose numbers it
    /// has.
    package func described(_ image: SessionImage) -> (SessionImage, [StateSchema]) {
        image.described(by: schemas)
    }

    /// Stores a session of an image that comes from elsewhere, under a name that no other has.
    /// Throws if the name has been taken meanwhile.
    ///
    /// - Parameter schemas: the descriptions of its states, as many at least as it has numbers of.
    package func adopt(_ image: SessionImage, _ schemas: [StateSchema] = []) async throws {
        var image = image
        lastSession += 1
        image.session = lastSession
        for index in image.nodes.indices {
            image.nodes[index].schema = image.nodes[index].schema.flatMap {
                $0 > 0 ? number(of: schemas[Int($0) - 1]) : nil
            }
        }
        let bytes = try await image.encodedAside()
        guard !holds(image.title.name) else {
            throw ToolError(description: "there is already a session '\(image.title.name)'")
        }
        stored[image.title.name] = Stored(session: image.session, id: image.title.id)
        unkept[image.session] = image.title.name
        replace(with: image, bytes)
        await settle()
    }

    /// Makes the image all that is stored of its session, into which nothing records any more.
    ///
    /// Throws if the session has ended meanwhile.
    package func rewind(to image: SessionImage) async throws {
        let bytes = try await image.encodedAside()
        guard stored[image.title.name]?.session == image.session else {
            throw ToolError(description: "the session has ended meanwhile")
        }
        replace(with: image, bytes)
        await settle()
    }

    private func replace(with image: SessionImage, _ bytes: [UInt8]) {
        forgetTail(of: image.session)
        found.remove(image.session)
        let due = DueImage(image).earliest()
        dues.found(image.title.name, due)
        // A group has a record at least; the image has what this one says.
        var record = Record(session: image.session)
        record.title = image.title
        add(record)
        pending.images.removeAll { $0.session == image.session }
        pending.images.append(
            StoredImage(
                session: image.session, name: image.title.name, id: image.title.id, base: 0,
                bytes: bytes, due: due))
    }
}
