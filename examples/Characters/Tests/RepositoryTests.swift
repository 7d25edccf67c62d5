// RepositoryTests: what is asked first, what is kept, and what is said when it does not come.

import NapkinTesting
import Testing

@testable import CharactersNetworking

@Suite(.timeLimit(.minutes(10)))
struct RepositoryTests {
    private let server = FakeServer()
    private let clock = ManualClock()
    private let files = MemoryFiles()
    private let repository: CachingCharacterRepository

    init() {
        repository = CachingCharacterRepository(
            source: RemoteCharacterSource(transport: server, clock: clock),
            images: ImageCache(files: files), clock: clock, server: server.server)
    }

    private func page(_ policy: CachePolicy) async -> Result<Loaded<CharacterPage>, LoadError> {
        await Result { () async throws(LoadError) in try await repository.page(1, policy) }
    }

    private func profile(
        _ id: String, _ policy: CachePolicy
    ) async -> Result<Loaded<CharacterProfile>, LoadError> {
        await Result { () async throws(LoadError) in try await repository.profile(id, policy) }
    }

    private func image(_ policy: CachePolicy) async -> Result<LoadedImage, LoadError> {
        await Result { () async throws(LoadError) in try await repository.image("/p", policy) }
    }

    // MARK: - Policies

    @Test func `local first asks the server once, and again when it is stale`() async throws {
        let first = try await page(.localFirst).get()
        #expect(first.age == nil)
        clock.advance(by: CachingCharacterRepository.freshFor)
        let second = try await page(.localFirst).get()
        #expect(second.age == CachingCharacterRepository.freshFor)
        #expect(!second.isStale)
        #expect(server.count(of: "page 1") == 1)
        clock.advance(by: .nanoseconds(1))
        let third = try await page(.localFirst).get()
        // Stale is said, and not waited for: whoever wants the present asks by another policy.
        #expect(third.isStale)
        #expect(server.count(of: "page 1") == 1)
        server.version = 2
        #expect(try await page(.remoteFirst).get().value.characters[0].name == "ann 2")
        #expect(try await page(.localFirst).get().age == .zero)
    }

    @Test func `remote first asks each time, and has the cache when that fails`() async throws {
        for _ in 1...2 { #expect(try await page(.remoteFirst).get().failure == nil) }
        #expect(server.count(of: "page 1") == 2)
        server.mode = .offline
        clock.advance(by: .seconds(7))
        let loaded = try await page(.remoteFirst).get()
        #expect(loaded.failure == .offline(server.server))
        #expect(loaded.age == .seconds(7))
        #expect(!loaded.isStale)
    }

    @Test func `none asks each time, keeps nothing and has nothing`() async throws {
        #expect(try await page(.none).get().age == nil)
        server.mode = .offline
        for policy in CachePolicy.allCases {
            #expect(await page(policy) == .failure(.offline(server.server)), "\(policy)")
        }
        server.mode = .sound
        _ = try await page(.localFirst).get()
        server.mode = .offline
        #expect(await page(.none) == .failure(.offline(server.server)))
    }

    @Test(arguments: CachePolicy.allCases)
    func `images follow the same policies, on the disk`(policy: CachePolicy) async throws {
        #expect(try await image(policy).get().origin == .server)
        #expect(files.names.count == (policy == .none ? 0 : 1))
        let again = try await image(policy).get()
        #expect(again.origin == (policy == .localFirst ? .disk : .server))
        #expect(again.bytes == FakeServer.graymap)
        server.mode = .offline
        if policy == .none {
            #expect(await image(policy) == .failure(.offline(server.server)))
        } else {
            #expect(try await image(policy).get().origin == .disk)
        }
    }

    @Test func `an image that cannot be kept is shown, with the reason`() async throws {
        files.refuse(FileError("cannot write: No space left on device"))
        let loaded = try await image(.localFirst).get()
        #expect(loaded.origin == .server)
        #expect(loaded.notKept == FileError("cannot write: No space left on device"))
    }

    @Test func `what the server does not have any more is not in the cache either`() async throws {
        let missing = Result<Loaded<CharacterProfile>, LoadError>.failure(
            .notFound("character called ann"))
        #expect(try await profile("ann", .remoteFirst).get().failure == nil)
        #expect(try await profile("ann", .localFirst).get().age == .zero)
        server.remove("ann")
        #expect(await profile("ann", .remoteFirst) == missing)
        // Nothing is there that would be had without the server.
        server.mode = .offline
        for policy in [CachePolicy.localFirst, .remoteFirst] {
            #expect(await profile("ann", policy) == .failure(.offline(server.server)), "\(policy)")
        }
        #expect(server.count(of: "character ann") == 4)
    }

    // MARK: - Errors

    @Test func `each way to fail has its own error`() async {
        server.mode = .offline
        #expect(await page(.localFirst) == .failure(.offline(server.server)))
        server.mode = .garbage
        #expect(
            await page(.localFirst) == .failure(.badData("it is not the JSON that was asked for")))
        guard case .failure(.badData(let reason)) = await image(.localFirst) else {
            Issue.record("garbage is no image")
            return
        }
        #expect(reason.contains("/p is not a picture"))
    }

    @Test func `a server that does not answer in time is given up`() async {
        server.mode = .silent
        async let outcome = page(.localFirst)
        await server.journal.wait(for: "page 1")
        await clock.pass(RemoteCharacterSource.answerWithin)
        #expect(await outcome == .failure(.timeout(RemoteCharacterSource.answerWithin)))
        #expect(server.count(of: "gone page 1") == 1)
        #expect(clock.sleeperCount == 0)
    }

    // MARK: - Re-entrancy

    @Test func `two that want the same page at once make one request`() async throws {
        server.hold()
        async let first = page(.remoteFirst)
        await server.journal.wait(for: "page 1")
        async let second = page(.localFirst)
        // A third that wants another is not held up by them.
        async let other = repository.page(2, .localFirst)
        await server.journal.wait(for: "page 2")
        server.release("page 2", keepsHolding: true)
        #expect(try await other.value.number == 2)
        server.release()
        #expect(try await first.get().value == second.get().value)
        #expect(server.count(of: "page 1") == 1)
    }

    @Test func `twenty that want the same image at once make one request`() async throws {
        server.hold()
        try await withThrowingTaskGroup(of: LoadedImage.self) { group in
            for _ in 1...20 { group.addTask { try await repository.image("/p", .localFirst) } }
            while repository.imageWaiters("/p") < 20 { await Task.yield() }
            server.release()
            for try await image in group { #expect(image.bytes == FakeServer.graymap) }
        }
        #expect(server.count(of: "image /p") == 1)
        #expect(files.names.count == 1)
    }
}
