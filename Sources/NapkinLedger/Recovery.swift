// Recovery: brings the images of a store up to its newest group.
//
// Layer      ledger. No code of an app's author runs here.
// Isolation  none of its own; the store is nobody else's meanwhile.
// Invariant  afterwards every image has everything that was committed, or is among those for which
//            there was no room.

import NapkinCoding

/// Applies groups to the images that lack them.
enum Recovery {
    /// Bytes of groups that are read at a time. Chosen.
    private static let bytesMax = 4 * 1024 * 1024

    /// What is known of sessions, and not in their images.
    struct Found {
        /// Why sessions are left as they are that cannot be read: the others are served.
        fileprivate(set) var damaged: [SessionNumber: String] = [:]
        /// Images for which there was no room.
        fileprivate(set) var unwritten: [SessionNumber: SessionImage] = [:]
        /// Up to which groups the stored images of all these have everything.
        fileprivate var bases: [SessionNumber: GroupNumber] = [:]

        /// Groups after this one are needed for them; `nil` if there are none.
        var neededAfter: GroupNumber? { bases.values.min() }

        /// Removes a session that has ended, or whose image is about to be written. Returns the
        /// group up to which its stored image has everything.
        @discardableResult
        mutating func remove(_ session: SessionNumber) -> GroupNumber? {
            damaged[session] = nil
            unwritten[session] = nil
            return bases.removeValue(forKey: session)
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

    /// Bytes of images that had to wait and are then written together. Chosen: half of what a
    /// journal reserves.
    private static let bytesAtOnce = 512 * 1024

    static func run(on store: any JournalStore) throws -> Found {
        var damaged: [SessionNumber: String] = [:]
        var images: [SessionNumber: SessionImage] = [:]
        var bases: [SessionNumber: GroupNumber] = [:]
        let sessions = try store.sessions()
        for session in sessions { bases[session.session] = session.base }
        let newest = try store.newestGroup()
        guard var position = bases.values.min(), position < newest else { return Found() }
        while position < newest {
            for group in try store.groups(after: position, bytesMax: bytesMax) {
                position = group.number
                for bytes in try RecordFraming.records(in: group.bytes, number: group.number) {
                    let record = try Record(decoding: bytes)
                    // A session that has no image has ended.
                    guard let base = bases[record.session], group.number > base,
                        damaged[record.session] == nil
                    else { continue }
                    do {
                        if images[record.session] == nil {
                            images[record.session] = try store.readImage(of: record.session)
                        }
                        try images[record.session]?.apply(record)
                    } catch let error as ImageError {
                        damaged[record.session] = "\(error)"
                        images[record.session] = nil
                    }
                }
            }
        }
        bases = bases.filter { damaged[$0.key] != nil || images[$0.key] != nil }
        guard !images.isEmpty else { return Found(damaged: damaged, bases: bases) }
        var commit = JournalCommit()
        for image in images.values {
            commit.images.append(try image.stored(as: newest))
        }
        do throws(StoreError) {
            try store.reserve(commit.roomBytes)
        } catch {
            guard error.code == .full else { throw error }
            return Found(damaged: damaged, unwritten: images, bases: bases)
        }
        try store.commit(commit)
        return Found(damaged: damaged, bases: bases.filter { damaged[$0.key] != nil })
    }
}

extension JournalStore {
    /// Returns the image of a session that is listed. Throws `ImageError` if that alone cannot be
    /// read, and what the store throws otherwise.
    func readImage(of session: SessionNumber) throws -> SessionImage {
        do {
            guard let stored = try image(of: session) else {
                throw ImageError(description: "it is listed, and its image is not found")
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
