// CacheTests: the memory's cache, the disk's cache, and requests that are shared.

import NapkinTesting
import Synchronization
import Testing

@testable import CharactersNetworking

@Suite(.timeLimit(.minutes(10)))
struct CacheTests {
    // MARK: - Memory

    @Test func `the one that was not used for longest goes first`() async {
        let cache = MemoryCache<String, Int>(capacity: 2)
        await cache.put(Received(1, at: .seconds(1)), for: "a")
        await cache.put(Received(2, at: .seconds(2)), for: "b")
        #expect(await cache.value(for: "a")?.value == 1)
        await cache.put(Received(3, at: .seconds(3)), for: "c")
        #expect(await cache.keys == ["a", "c"])
        #expect(await cache.value(for: "b") == nil)
        await cache.put(Received(4, at: .seconds(4)), for: "a")
        #expect(await cache.keys == ["c", "a"])
        #expect(await cache.value(for: "a")?.time == .seconds(4))
        await cache.remove("a")
        #expect(await cache.keys == ["c"])
    }

    @Test func `of a thousand values at once the newest stays, and there are not too many`() async {
        let cache = MemoryCache<Int, Int>(capacity: 4)
        await withTaskGroup(of: Int.self) { group in
            for number in (1...1000).shuffled() {
                group.addTask {
                    await cache.put(Received(number, at: .seconds(number)), for: number % 3)
                    return await cache.keys.count
                }
            }
            for await count in group { #expect(count <= 3) }
        }
        for key in 0..<3 {
            #expect(await cache.value(for: key)?.value == [999, 1000, 998][key])
        }
        for number in 1...1000 { await cache.put(Received(0, at: .zero), for: number) }
        #expect(await cache.keys == [997, 998, 999, 1000])
    }

    // MARK: - Disk

    private let files = MemoryFiles()

    /// - Parameter images: how many of ten bytes have room.
    private func cache(images: Int) -> ImageCache {
        let time = Mutex<Int64>(0)
        return ImageCache(files: files, byteMax: images * Self.fileBytes) {
            time.withLock { time in
                time += 1
                return time
            }
        }
    }

    private static let fileBytes = CacheFile(key: "a", image: image(0)).bytes.count

    private static func image(_ number: UInt8) -> [UInt8] { Array(repeating: number, count: 10) }

    @Test func `an image comes back as it was, and replaces the one before`() async throws {
        let cache = cache(images: 3)
        #expect(try await cache.image(for: "a") == nil)
        try await cache.store(Self.image(1), for: "a")
        #expect(try await cache.image(for: "a") == Self.image(1))
        try await cache.store(Self.image(2), for: "a")
        #expect(try await cache.image(for: "a") == Self.image(2))
        #expect(files.names.count == 1)
    }

    @Test func `what was used last stays when there is no room`() async throws {
        let cache = cache(images: 3)
        for key in ["a", "b", "c"] { try await cache.store(Self.image(1), for: key) }
        _ = try await cache.image(for: "a")
        try await cache.store(Self.image(1), for: "d")
        #expect(try await cache.image(for: "b") == nil)
        // What is replaced makes room itself.
        try await cache.store(Self.image(2), for: "c")
        for key in ["a", "c", "d"] { #expect(try await cache.image(for: key) != nil, "\(key)") }
    }

    @Test(arguments: [0, 1])
    func `an image that is more than the whole cache is refused`(excess: Int) async throws {
        let cache = cache(images: 1)
        let image = Self.image(1) + Array(repeating: 1, count: excess)
        if excess == 0 { return try await cache.store(image, for: "a") }
        await #expect(throws: FileError.self) { try await cache.store(image, for: "a") }
        #expect(files.names.isEmpty)
    }

    @Test func `a file that is not whole is removed, and is no image`() async throws {
        let cache = cache(images: 3)
        let name = CacheFile.name(of: "a")
        let changes: [(inout [UInt8]) -> Void] = [
            { $0.removeLast() }, { $0[$0.count - 1] ^= 1 }, { $0[0] = 0 }, { $0 = [] },
            { $0.append(0) }, { $0[17] = 200 },
        ]
        for (count, change) in changes.enumerated() {
            try await cache.store(Self.image(1), for: "a")
            files.damage(name, change)
            #expect(try await cache.image(for: "a") == nil)
            #expect(files.names.isEmpty)
            #expect(await cache.damagedCount == count + 1)
        }
    }

    @Test func `a file of another key is no image, and stays`() async throws {
        let cache = cache(images: 3)
        let name = CacheFile.name(of: "a")
        try files.write(CacheFile(key: "b", image: [1]).bytes, to: name, at: 1)
        #expect(try await cache.image(for: "a") == nil)
        #expect(files.names == [name])
    }

    // MARK: - Requests

    private typealias Outcome = Result<Int, LoadError>

    private static func outcome(
        _ requests: InFlight<String, Int>, _ key: String,
        _ work: @escaping @Sendable () async throws(LoadError) -> Int
    ) async -> Outcome {
        await Result { () async throws(LoadError) in try await requests.value(for: key, work) }
    }

    @Test func `many that want the same make one request`() async {
        let requests = InFlight<String, Int>()
        let journal = Journal()
        let work: @Sendable () async throws(LoadError) -> Int = {
            journal.note("work")
            await journal.wait(for: "go")
            return 7
        }
        await withTaskGroup(of: Outcome.self) { group in
            for _ in 1...32 { group.addTask { await Self.outcome(requests, "a", work) } }
            while requests.waiters(for: "a") < 32 { await Task.yield() }
            journal.note("go")
            for await outcome in group { #expect(outcome == .success(7)) }
        }
        #expect(journal.count(of: "work") == 1)
        // Over is over: whoever asks now asks anew.
        #expect(await Self.outcome(requests, "a", work) == .success(7))
        #expect(journal.count(of: "work") == 2)
    }

    @Test func `who is cancelled leaves at once, and the others get their answer`() async {
        let requests = InFlight<String, Int>()
        let journal = Journal()
        let work: @Sendable () async throws(LoadError) -> Int = { () throws(LoadError) in
            await journal.wait(for: "go")
            if Task.isCancelled { throw .cancelled }
            return 7
        }
        let patient = Task { await Self.outcome(requests, "a", work) }
        while requests.waiters(for: "a") < 1 { await Task.yield() }
        let impatient = Task { await Self.outcome(requests, "a", work) }
        while requests.waiters(for: "a") < 2 { await Task.yield() }
        impatient.cancel()
        #expect(await impatient.value == .failure(.cancelled))
        journal.note("go")
        #expect(await patient.value == .success(7))
    }

    @Test func `work that nobody waits for is cancelled, and begun anew by the next`() async {
        let requests = InFlight<String, Int>()
        let server = FakeServer()
        server.mode = .silent
        let work: @Sendable () async throws(LoadError) -> Int = { () throws(LoadError) in
            try await server.send(.get("/a")).status
        }
        let only = Task { await Self.outcome(requests, "a", work) }
        await server.journal.wait(for: "image /a")
        only.cancel()
        #expect(await only.value == .failure(.cancelled))
        await server.journal.wait(for: "gone image /a")
        server.mode = .sound
        #expect(await Self.outcome(requests, "a", work) == .success(200))
        // A task that was cancelled before it asked has asked nobody.
        let late = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return await Self.outcome(requests, "b", work)
        }
        #expect(await late.value == .failure(.cancelled))
        #expect(requests.waiters(for: "b") == 0)
    }
}
