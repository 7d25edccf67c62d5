// Recovery: brings the images of a store up to its newest group.
//
// Layer      ledger. No code of an app's author runs here.
// Isolation  none of its own; the store is nobody else's meanwhile.
// Invariant  afterwards every image has everything that was committed.

/// Applies groups to the images that lack them.
enum Recovery {
    /// Bytes of groups that are read at a time. Chosen.
    private static let bytesMax = 4 * 1024 * 1024

    static func run(on store: any JournalStore) throws {
        var images: [SessionNumber: SessionImage] = [:]
        var bases: [SessionNumber: GroupNumber] = [:]
        let sessions = try store.sessions()
        for session in sessions { bases[session.session] = session.base }
        let newest = try store.newestGroup()
        guard var position = bases.values.min(), position < newest else { return }
        var changed: Set<SessionNumber> = []
        while position < newest {
            for group in try store.groups(after: position, bytesMax: bytesMax) {
                position = group.number
                for bytes in try RecordFraming.records(in: group.bytes, number: group.number) {
                    let record = try Record(decoding: bytes)
                    // A session that has no image has ended.
                    guard let base = bases[record.session], group.number > base else { continue }
                    if images[record.session] == nil {
                        images[record.session] = try store.image(of: record.session)
                            .map { try SessionImage(decoding: $0.bytes) }
                    }
                    try images[record.session]?.apply(record)
                    changed.insert(record.session)
                }
            }
        }
        guard !changed.isEmpty else { return }
        var commit = JournalCommit()
        for (session, image) in images {
            commit.images.append(
                StoredImage(
                    session: session, name: image.title.name, id: image.title.id, base: newest,
                    bytes: try image.encoded()))
        }
        try store.commit(commit)
    }
}
