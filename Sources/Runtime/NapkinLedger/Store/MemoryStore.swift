// MemoryStore: a journal's store that lives as long as its process.
//
// Isolation  any thread (Mutex).

import Synchronization

/// Keeps all commits until it is released.
package final class MemoryStore: JournalStore {
    private struct Contents {
        var groups: [JournalCommit.Group] = []
        var newest: GroupNumber = 0
        var trimmed: GroupNumber = 0
        var images: [SessionNumber: StoredImage] = [:]
        var schemas: [StoredSchema] = []
        var room: Int
    }

    private let contents: Mutex<Contents>
    private let sync: @Sendable () -> Void

    /// - Parameters:
    ///   - room: the bytes that may be reserved and committed at a time.
    ///   - sync: called before a commit takes effect.
    package init(room: Int = .max, sync: @escaping @Sendable () -> Void = {}) {
        contents = Mutex(Contents(room: room))
        self.sync = sync
    }

    package var path: String { "memory" }

    package func setRoom(_ bytes: Int) { contents.withLock { $0.room = bytes } }

    package func commit(_ commit: JournalCommit) throws(StoreError) {
        try reserve(commit.roomBytes)
        sync()
        contents.withLock { contents in
            if let group = commit.group {
                contents.groups.append(group)
                contents.newest = group.number
            }
            contents.schemas += commit.schemas
            for image in commit.images { contents.images[image.session] = image }
            for session in commit.ended { contents.images[session] = nil }
            contents.trimmed = max(contents.trimmed, commit.trimmed)
            contents.groups.removeAll { $0.number <= commit.trimmed }
        }
    }

    @discardableResult
    package func open() throws(StoreError) -> StoreExtent {
        contents.withLock { StoreExtent(newest: $0.newest, trimmed: $0.trimmed) }
    }

    package func groups(
        after number: GroupNumber, bytesMax: Int
    ) throws(StoreError) -> [JournalCommit.Group] {
        let later = contents.withLock { $0.groups.filter { $0.number > number } }
        var bytes = 0
        return Array(
            later.prefix { group in
                bytes += group.bytes.count
                return group.number == later.first?.number || bytes <= bytesMax
            })
    }

    package func sessions() throws(StoreError) -> [StoredSession] {
        let images = contents.withLock { $0.images.values.sorted { $0.session < $1.session } }
        return images.map {
            StoredSession(
                session: $0.session, name: $0.name, id: $0.id, base: $0.base,
                bytes: $0.bytes.count)
        }
    }

    package func image(of session: SessionNumber) throws(StoreError) -> StoredImage? {
        contents.withLock { $0.images[session] }
    }

    package func dueTimes() throws(StoreError) -> [(session: SessionNumber, due: Int64?)] {
        contents.withLock { $0.images.values.map { ($0.session, $0.due) } }
    }

    package func schemas() throws(StoreError) -> [StoredSchema] {
        contents.withLock { $0.schemas }
    }

    package func reserve(_ bytes: Int) throws(StoreError) {
        guard contents.withLock({ $0.room >= bytes }) else {
            throw StoreError(.full, path: "memory", "no room for \(bytes) bytes")
        }
    }

    package func backUp(to path: String) throws(StoreError) {
        throw StoreError(.failed, path: path, "a store in memory has no file to copy")
    }
}
