// PostgresCommit: a commit as one statement, which has no effect once another owner has the
// journal; a large commit is several statements in one transaction.
//
// Invariant  all parts of a statement see the rows as they were before it, so no part may depend on
//            another.
// Spec       Protocol/LEDGER.md, "PostgreSQL"

extension JournalCommit {
    /// Bytes of the images of one statement, unless a single image is larger. Chosen: a server
    /// accepts it within a few seconds.
    private static let pieceBytesMax = 32 << 20

    /// The commit in pieces; all but the last contain only images. Most commits have one piece.
    var pieces: [JournalCommit] {
        var pieces: [JournalCommit] = []
        var images: [StoredImage] = []
        var bytes = 0
        for image in self.images {
            if !images.isEmpty, bytes + image.bytes.count > Self.pieceBytesMax {
                var piece = JournalCommit()
                piece.images = images
                pieces.append(piece)
                (images, bytes) = ([], 0)
            }
            images.append(image)
            bytes += image.bytes.count
        }
        var last = self
        last.images = images
        return pieces + [last]
    }
}

/// The statement, and its values after the journal and the epoch. It returns a row on success.
struct PostgresCommit {
    let text: String
    let values: [PostgresValue]

    /// - Parameters:
    ///   - newest: the newest group with this commit.
    ///   - renewing: the due time to note while renewing the lease; `nil` leaves the row as it is.
    init(_ commit: JournalCommit, newest: GroupNumber, renewing due: UInt64?) {
        // A statement that returns a row while the journal is this owner's.
        let fence = { due == nil ? JournalOwner.admit : JournalOwner.renew(due: $0) }
        let last = due.map { [PostgresValue.number($0)] } ?? []
        if let group = commit.group, commit.isGroupAlone {
            text = """
                WITH o AS (\(fence(5)))
                INSERT INTO napkin.groups SELECT $1, $3, $4 FROM o RETURNING number
                """
            values = [.number(group.number), .bytes(group.bytes)] + last
            return
        }
        text = Self.whole(fence(18))
        // A group that is trimmed at once would not be found, so it is not inserted.
        let group = [commit.group].compactMap(\.self).filter { $0.number > commit.trimmed }
        let newestImages = Dictionary(commit.images.map { ($0.session, $0) }) { $1 }
        let images = newestImages.values.filter { !commit.ended.contains($0.session) }
        values =
            [
                .numbers(group.map(\.number)), .blobs(group.map(\.bytes)), .numbers(commit.ended),
                .numbers(images.map(\.session)), .texts(images.map(\.name)),
                .texts(images.map(\.id)),
                .numbers(images.map(\.base)), .numbers(images.map(\.due.storedDue)),
                .numbers(images.map(StoreFormat.checksum)), .blobs(images.map(\.bytes)),
                .numbers(commit.schemas.map(\.number)),
                .numbers(commit.schemas.map(StoreFormat.checksum)),
                .blobs(commit.schemas.map(\.bytes)), .number(commit.trimmed), .number(newest),
            ] + last
    }

    private static func whole(_ fence: String) -> String {
        """
        WITH o AS (\(fence)),
        g AS (INSERT INTO napkin.groups
            SELECT $1, n, b FROM o, unnest($3, $4) AS t(n, b)),
        e AS (DELETE FROM napkin.sessions USING o WHERE journal = $1 AND session = ANY ($5)),
        i AS (INSERT INTO napkin.sessions
            SELECT $1, s, n, i, b, d, c, t FROM o,
                unnest($6, $7, $8, $9, $10, $11, $12) AS t(s, n, i, b, d, c, t)
            ON CONFLICT (journal, session) DO UPDATE SET name = excluded.name, id = excluded.id,
                base = excluded.base, due = excluded.due, checksum = excluded.checksum,
                bytes = excluded.bytes),
        s AS (INSERT INTO napkin.schemas
            SELECT $1, n, c, b FROM o, unnest($13, $14, $15) AS t(n, c, b)),
        d AS (DELETE FROM napkin.groups USING o WHERE journal = $1 AND number <= $16),
        j AS (UPDATE napkin.journals SET trimmed = $16, newest = $17 FROM o
            WHERE journal = $1 AND trimmed < $16)
        SELECT count(*) FROM o HAVING count(*) > 0
        """
    }
}
