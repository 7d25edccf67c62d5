// Recovery: brings the images of a store up to its newest group.
//
// Layer      ledger. No code of an app's author runs here.
// Isolation  none of its own; the store is nobody else's meanwhile.
// Invariant  afterwards every image has everything that was committed.

/// Applies groups to the images that lack them.
enum Recovery {
    /// Bytes of groups that are read at a time. Chosen.
    private static let bytesMax = 4 * 1024 * 1024

    /// Returns why sessions are left as they are whose records do not fit: the others are served.
    static func run(on store: any JournalStore) throws -> [SessionNumber: String] {
        var damaged: [SessionNumber: String] = [:]
        var images: [SessionNumber: SessionImage] = [:]
        var bases: [SessionNumber: GroupNumber] = [:]
        let sessions = try store.sessions()
        for session in sessions { bases[session.session] = session.base }
        let newest = try store.newestGroup()
        guard var position = bases.values.min(), position < newest else { return [:] }
        while position < newest {
            for group in try store.groups(after: position, bytesMax: bytesMax) {
                position = group.number
                for bytes in try RecordFraming.records(in: group.bytes, number: group.number) {
                    let record = try Record(decoding: bytes)
                    // A session that has no image has ended.
                    guard let base = bases[record.session], group.number > base,
                        damaged[record.session] == nil
                    else { continue }
                    if images[record.session] == nil {
                        images[record.session] = try store.image(of: record.session)
                            .map { try SessionImage(decoding: $0.bytes) }
                    }
                    do throws(ImageError) {
                        try images[record.session]?.apply(record)
                    } catch {
                        damaged[record.session] = "\(error)"
                        images[record.session] = nil
                    }
                }
            }
        }
        guard !images.isEmpty else { return damaged }
        var commit = JournalCommit()
        for (session, image) in images {
            commit.images.append(
                StoredImage(
                    session: session, name: image.title.name, id: image.title.id, base: newest,
                    bytes: try image.encoded()))
        }
        try store.commit(commit)
        return damaged
    }
}
