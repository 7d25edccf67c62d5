// JournalStoreTests: what a journal asks of a store, of each kind of store.

import NapkinCore
import TestSupport
import Testing

@testable import NapkinLedger

/// A place for a store of some kind, where it can be opened again.
enum StorePlace: CaseIterable {
    case memory, syncedFile, file, database

    /// Returns what opens the place's store, which is nobody else's.
    func opening() -> () -> any JournalStore {
        let (memory, directory) = (MemoryStore(), TemporaryDirectory())
        if self == .database {
            let database = TestDatabase()
            return { database.store() }
        }
        return {
            if self == .memory { return memory }
            return SQLiteStore(
                path: directory("ledger"), durability: self == .syncedFile ? .machine : .process,
                logBytes: 256 * 1024)
        }
    }
}

struct JournalStoreTests {
    private func group(_ number: GroupNumber, _ count: Int = 100) -> JournalCommit {
        JournalCommit(
            .init(number: number, bytes: [UInt8](repeating: UInt8(number % 251), count: count)))
    }

    /// How far a store goes, whatever its history.
    private func extent(_ store: any JournalStore) throws -> StoreExtent {
        var extent = try store.open()
        extent.history = 0
        return extent
    }

    @Test(arguments: StorePlace.allCases)
    func `what is committed is there, also after opening it again`(place: StorePlace) throws {
        let open = place.opening()
        let image = StoredImage(session: 7, name: "größe", base: 1, bytes: Array(0..<255))
        let schema = StoredSchema(number: 1, bytes: [1, 2, 3])
        let sizes = [100, 0, 100_000]
        func check(_ store: any JournalStore) throws {
            #expect(try extent(store) == StoreExtent(newest: 3))
            let groups = try store.groups(after: 0, bytesMax: .max)
            #expect(groups == (1...3).map { self.group($0, sizes[Int($0) - 1]).group })
            #expect(try store.groups(after: 1, bytesMax: 5).map(\.number) == [2])
            #expect(try store.groups(after: 2, bytesMax: 5).map(\.number) == [3])
            #expect(try store.groups(after: 3, bytesMax: 5).isEmpty)
            #expect(try store.sessions().map(\.name) == ["größe", ""])
            #expect(try store.sessions().map(\.bytes) == [255, 0])
            #expect(try store.image(of: 7) == image)
            #expect(try store.image(of: 9)?.bytes == [])
            #expect(try store.image(of: 8) == nil)
            let dues = Dictionary(try store.dueTimes().map { ($0.session, $0.due) }) { $1 }
            #expect(dues == [7: nil, 9: 1000])
            #expect(try store.schemas() == [schema])
            try store.checkOwnership()
        }
        try { () throws in
            let store = open()
            #expect(try extent(store) == StoreExtent())
            #expect(try store.groups(after: 0, bytesMax: 1).isEmpty)
            #expect(try store.sessions().isEmpty && store.schemas().isEmpty)
            var commit = group(1)
            commit.images = [
                image, StoredImage(session: 9, name: "", base: 0, bytes: [], due: 1000),
            ]
            commit.schemas = [schema]
            try store.commit(commit)
            for number in 2...GroupNumber(3) {
                try store.reserve(sizes[Int(number) - 1])
                try store.commit(group(number, sizes[Int(number) - 1]))
            }
            try check(store)
        }()
        for _ in 0..<2 {
            let store = open()
            try check(store)
            try store.tidy()
            try check(store)
            for _ in 0..<2 { try store.shrink() }
        }
        let store = open()
        try store.commit(group(4))
        #expect(try store.open().newest == 4)
    }

    @Test(arguments: StorePlace.allCases)
    func `images are replaced, sessions end, and the newest number outlives its group`(
        place: StorePlace
    ) throws {
        let open = place.opening()
        try { () throws in
            let store = open()
            var commit = group(1)
            commit.images = (1...4).map {
                StoredImage(session: $0, name: "s\($0)", base: 0, bytes: [1])
            }
            try store.commit(commit)
            var later = group(2)
            // They take each other's names.
            later.images = [
                StoredImage(session: 2, name: "s3", base: 2, bytes: [2, 2]),
                StoredImage(session: 3, name: "s2", base: 2, bytes: [3]),
            ]
            later.ended = [1, 99]
            later.trimmed = 2
            try store.commit(later)
            var last = JournalCommit()
            last.ended = [4]
            try store.commit(last)
        }()
        let store = open()
        #expect(try extent(store) == StoreExtent(newest: 2, trimmed: 2))
        #expect(try store.sessions().map(\.session) == [2, 3])
        #expect(try store.image(of: 2)?.name == "s3")
        #expect(try store.image(of: 2)?.bytes == [2, 2])
        #expect(try store.groups(after: 0, bytesMax: .max).isEmpty)
        try store.commit(group(3))
        #expect(try store.groups(after: 0, bytesMax: .max).map(\.number) == [3])
    }
}
