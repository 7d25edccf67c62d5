// Recovery: brings the images of a store up to its newest group.
//
// Isolation  none of its own; nobody else uses the store meanwhile.
// Invariant  each image that is incomplete in the store is complete in memory. Nothing is written:
//            that can wait until the first fronts have been served.

import NapkinCoding
import NapkinCore

/// Applies groups to the images that lack them.
enum Recovery {
    /// Bytes of groups that are read at a time. Chosen: many groups, and little of the memory.
    private static let bytesMax = 4 * 1024 * 1024

    /// The sessions whose stored images are incomplete.
    struct Found {
        /// The damage of unreadable sessions, which are left unchanged; others are served.
        fileprivate(set) var damaged: [SessionNumber: Damage] = [:]
        /// Images that are newer than those in the store.
        fileprivate(set) var unwritten: [SessionNumber: SessionImage] = [:]
        /// The stored records of these sessions that follow their images.
        fileprivate(set) var records: [SessionNumber: Records] = [:]

        /// The names of sessions whose images are not written: their former records may be wanted.
        var held: Set<String> = []

        /// A session whose image may be written.
        var next: SessionNumber? { unwritten.first { !held.contains($0.value.title.name) }?.key }

        /// Groups after this one are needed for them; `nil` if there are none.
        var neededAfter: GroupNumber? { records.values.lazy.map(\.base).min() }

        /// Removes a session that has ended, or whose image is about to be written. Returns the
        /// stored records that follow its image.
        @discardableResult
        mutating func remove(_ session: SessionNumber) -> Records? {
            damaged[session] = nil
            unwritten[session] = nil
            return records.removeValue(forKey: session)
        }

        /// Moves images into a commit that has a group.
        mutating func write(into commit: inout JournalCommit) {
            guard !unwritten.isEmpty, let number = commit.group?.number else { return }
            var bytes = 0
            for (session, image) in unwritten
            where bytes < Recovery.bytesAtOnce && !held.contains(image.title.name) {
                do throws(CBORError) {
                    let stored = try image.stored(as: number)
                    remove(session)
                    bytes += stored.bytes.count
                    commit.images.append(stored)
                } catch {
                    unwritten[session] = nil
                    damaged[session] = Damage(group: number, reason: "\(error)")
                }
            }
        }
    }

    /// The reason why a session cannot be read, and the first group that could not be applied.
    struct Damage {
        let group: GroupNumber
        let reason: String
    }

    /// The records that a stored image lacks.
    struct Records {
        /// The newest group that the image includes.
        var base: GroupNumber
        /// The group of the newest record.
        var newest: GroupNumber
        var bytes = 0
    }

    /// Bytes of images that had to wait and are then written together. Chosen: they are encoded in
    /// less than a millisecond.
    private static let bytesAtOnce = 64 * 1024

    /// - Parameter ends: if given, unreadable groups count as damage of their sessions instead of
    ///   an error, and a session's groups are applied up to the one before its damage.
    static func run(
        on store: any JournalStore, before ends: [SessionNumber: Damage]? = nil
    ) throws -> Found {
        var found = Found()
        for session in try store.sessions() {
            found.records[session.session] = Records(base: session.base, newest: session.base)
        }
        let extent = try store.open()
        guard var position = found.neededAfter else { return Found() }
        position = max(position, extent.trimmed)
        var bytesAtOnce = bytesMax
        while position < extent.newest {
            let groups: [JournalCommit.Group]
            do throws(StoreError) {
                groups = try store.groups(after: position, bytesMax: bytesAtOnce)
            } catch {
                guard let ends, error.code == .damaged else { throw error }
                // Reading each group separately shows which one is damaged.
                if bytesAtOnce == 1 {
                    position += 1
                    found.miss(position, "\(error)", before: ends)
                }
                bytesAtOnce = bytesAtOnce == 1 ? bytesMax : 1
                continue
            }
            for group in groups {
                position = group.number
                let records: [(Record, bytes: Int)]
                do {
                    let framed = try RecordFraming.records(in: group.bytes, number: group.number)
                    records = try framed.map { (try Record(decoding: $0), $0.count) }
                } catch {
                    let reason = "\(store.path): group \(group.number): \(error)"
                    found.miss(group.number, reason, before: ends ?? [:])
                    continue
                }
                for (record, bytes) in records {
                    // Records of a session without an image belong to one that has ended.
                    guard let known = found.records[record.session], group.number > known.base,
                        group.number < ends?[record.session]?.group ?? .max,
                        found.damaged[record.session] == nil
                    else { continue }
                    found.records[record.session]?.bytes += bytes
                    found.records[record.session]?.newest = group.number
                    do {
                        try found.apply(record, to: store)
                    } catch let error as ImageError {
                        found.damaged[record.session] = Damage(
                            group: group.number, reason: "\(error)")
                        found.unwritten[record.session] = nil
                    }
                }
            }
        }
        found.records = found.records.filter {
            found.damaged[$0.key] != nil || found.unwritten[$0.key] != nil
        }
        return found
    }
}

extension Recovery.Found {
    /// A group cannot be read. Each session whose image is older may have had a record in it.
    fileprivate mutating func miss(
        _ group: GroupNumber, _ reason: String, before ends: [SessionNumber: Recovery.Damage]
    ) {
        for (session, known) in records where known.base < group && damaged[session] == nil {
            guard group < ends[session]?.group ?? .max else { continue }
            damaged[session] = Recovery.Damage(group: group, reason: reason)
            unwritten[session] = nil
        }
    }

    fileprivate mutating func apply(_ record: Record, to store: any JournalStore) throws {
        if unwritten[record.session] == nil {
            unwritten[record.session] = try store.readImage(of: record.session)
        }
        try unwritten[record.session]?.apply(record)
    }
}

extension JournalStore {
    /// Returns the descriptions of states; `nil` for one that cannot be read.
    func readSchemas() throws(StoreError) -> [StateSchema?] {
        // It may be of a newer version: the sessions that need it report so.
        try schemas().map { try? Payload($0.bytes).decode() }
    }

    /// Returns the image of a listed session. Throws `ImageError` if only that image cannot be
    /// read, and otherwise the errors of the store.
    func readImage(of session: SessionNumber) throws -> SessionImage {
        do {
            guard let stored = try image(of: session) else {
                throw ImageError(description: "it is listed, but its image is not found")
            }
            return try SessionImage(decoding: stored.bytes)
        } catch let error as CBORError {
            throw ImageError(description: "\(error)")
        } catch let error as StoreError where error.code == .damaged {
            throw ImageError(description: "\(error)")
        }
    }
}

extension SessionImage {
    /// Returns the image as a store keeps it, as of a group.
    func stored(as base: GroupNumber) throws(CBORError) -> StoredImage {
        StoredImage(
            session: session, name: title.name, id: title.id, base: base, bytes: try encoded(),
            due: DueImage(self).earliest())
    }
}
