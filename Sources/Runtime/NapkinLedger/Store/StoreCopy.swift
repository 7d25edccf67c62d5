// StoreCopy: moves all sessions of one store into another, of any kind.
//
// Invariant  the copy is one commit, with the sessions as of the newest group; the history that
//            `rewind` could return to is not copied.

extension JournalStore {
    /// Copies all sessions into a store that has none; returns their number. Throws `exists` if the
    /// store has sessions, and an error if anything cannot be read; then nothing has been copied.
    @discardableResult
    package func copySessions(to target: any JournalStore) throws(StoreError) -> Int {
        guard try target.open().newest == 0, try target.sessions().isEmpty else {
            throw StoreError(.exists, path: target.path, "it has sessions already")
        }
        do {
            let found = try Recovery.run(on: self)
            var writer = GroupWriter()
            var images: [StoredImage] = []
            for session in try sessions() {
                let number = session.session
                if let damage = found.damaged[number] {
                    throw ImageError(description: "session \(session.name): \(damage.reason)")
                }
                let image = try found.unwritten[number] ?? readImage(of: number)
                images.append(try image.stored(as: 1))
                // The image already includes it.
                _ = try writer.append(Record(session: number))
            }
            guard !images.isEmpty else { return 0 }
            var commit = JournalCommit(.init(number: 1, bytes: writer.take(1)))
            (commit.images, commit.schemas) = (images, try schemas())
            try target.commit(commit)
            return images.count
        } catch {
            throw error as? StoreError ?? StoreError(.damaged, path: path, "\(error)")
        }
    }
}
