// Recovery: brings the images of a store up to its newest group.
//
// Layer      ledger. No code of an app's author runs here.
// Isolation  none of its own; the store is nobody else's meanwhile.
// Invariant  every image that lacks something in the store has all of it in memory. Nothing is
//            written: that can wait until the first fronts have been served.

import NapkinCoding

/// Applies groups to the images that lack them.
enum Recovery {
    /// Bytes of groups that are read at a time. Chosen.
    private static let bytesMax = 4 * 1024 * 1024

    /// What is known of sessions, and not in their images.
    struct Found {
        /// Why sessions are left as they are that cannot be read: the others are served.
        fileprivate(set) var damaged: [SessionNumber: String] = [:]
        /// Images that are newer than those in the store.
        fileprivate(set) var unwritten: [SessionNumber: SessionImage] = [:]
        /// What the store has of all these after their images.
        fileprivate(set) var records: [SessionNumber: Records] = [:]

        /// Groups after this one are needed for them; `nil` if there are none.
        var neededAfter: GroupNumber? { records.values.lazy.map(\.base).min() }

        /// Removes a session that has ended, or whose image is about to be written. Returns what
        /// the store has of it after its image.
        @discardableResult
        mutating func remove(_ session: SessionNumber) -> Records? {
            damaged[session] = nil
            unwritten[session] = nil
            return records.removeValue(forKey: session)
        }

        /// Moves images into a commit, which has a group.
        mutating func write(into commit: inout JournalCommit) {
            guard !unwritten.isEmpty, let number = commit.group?.number else { return }
            var bytes = 0
            for (session, image) in unwritten where bytes < Recovery.bytesAtOnce {
                do throws(CBORError) {
                    let stored = try image.stored(as: number)
                    remove(session)
                    bytes += stored.bytes.count
                    commit.images.append(stored)
                } catch {
                    unwritten[session] = nil
                    damaged[session] = "\(error)"
                }
            }
        }
    }

    /// The records that a stored image lacks.
    struct Records {
        /// The group up to which the image has everything.
        var base: GroupNumber
        /// The group of the newest record.
        var newest: GroupNumber
        var bytes = 0
    }

    /// Bytes of images that had to wait and are then written together. Chosen: they are encoded in
    /// less than a millisecond.
    private static let bytesAtOnce = 64 * 1024

    static func run(on store: any JournalStore) throws -> Found {
        var found = Found()
        for session in try store.sessions() {
            found.records[session.session] = Records(base: session.base, newest: session.base)
        }
        let newest = try store.newestGroup()
        guard var position = found.neededAfter else { return Found() }
        while position < newest {
            for group in try store.groups(after: position, bytesMax: bytesMax) {
                position = group.number
                let records: [(Record, bytes: Int)]
                do {
                    let framed = try RecordFraming.records(in: group.bytes, number: group.number)
                    records = try framed.map { (try Record(decoding: $0), $0.count) }
                } catch {
                    found.miss(group.number, "\(store.path): group \(group.number): \(error)")
                    continue
                }
                for (record, bytes) in records {
                    // A session that has no image has ended.
                    guard let known = found.records[record.session], group.number > known.base,
                        found.damaged[record.session] == nil
                    else { continue }
                    found.records[record.session]?.bytes += bytes
                    found.records[record.session]?.newest = group.number
                    do {
                        try found.apply(record, to: store)
                    } catch let error as ImageError {
                        found.damaged[record.session] = "\(error)"
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
    fileprivate mutating func miss(_ group: GroupNumber, _ reason: String) {
        for (session, known) in records where known.base < group && damaged[session] == nil {
            damaged[session] = reason
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
    /// Returns the image of a session that is listed. Throws `ImageError` if that alone cannot be
    /// read, and what the store throws otherwise.
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
    /// Returns what a store keeps of it, as of a group.
    func stored(as base: GroupNumber) throws(CBORError) -> StoredImage {
        StoredImage(
            session: session, name: title.name, id: title.id, base: base, bytes: try encoded(),
            due: DueImage(self).earliest())
    }
}
