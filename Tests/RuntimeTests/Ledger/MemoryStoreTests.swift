// MemoryStoreTests: a store in memory keeps what it was given.

import NapkinLedger
import Testing

struct MemoryStoreTests {
    @Test func `what is committed is there, and what is trimmed is gone`() throws {
        let store = MemoryStore()
        var commit = JournalCommit(.init(number: 1, bytes: [1]))
        commit.images = [StoredImage(session: 7, name: "main", base: 0, bytes: [9])]
        try store.commit(commit)
        var later = JournalCommit(.init(number: 2, bytes: [2, 2]))
        later.trimmed = 1
        try store.commit(later)
        #expect(try store.newestGroup() == 2)
        #expect(try store.groups(after: 0, bytesMax: 1).map(\.number) == [2])
        #expect(try store.image(of: 7)?.bytes == [9])
        var end = JournalCommit()
        end.ended = [7]
        try store.commit(end)
        #expect(try store.sessions().isEmpty)
    }
}
