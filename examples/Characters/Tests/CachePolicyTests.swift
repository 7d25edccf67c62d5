// CachePolicyTests: in which order the two sources are asked, and where all of that runs.

import ExampleSupport
import NapkinCore
import NapkinTesting
import Synchronization
import Testing

@testable import CharactersNetworking

@Suite(.timeLimit(.minutes(10)))
struct CachePolicyTests {
    private let journal = Journal()

    /// Fetches with sources that note that they were asked.
    private func fetch(
        _ policy: CachePolicy, remote: Result<Int, LoadError>, cache: Int?
    ) async -> Result<Fetched<Int>, LoadError> {
        await Result { () async throws(LoadError) in
            try await policy.fetch { () throws(LoadError) in
                journal.note("remote")
                return try remote.get()
            } fromCache: {
                journal.note("cache")
                return cache
            } saveToCache: {
                journal.note("save \($0)")
            }
        }
    }

    private static let offline = LoadError.offline("porch")

    @Test(
        arguments: [
            (.localFirst, nil, 2, ["cache"], "cache 2"),
            (.localFirst, nil, nil, ["cache", "remote", "save 1"], "remote 1"),
            (.localFirst, offline, nil, ["cache", "remote"], "nobody answers at porch"),
            (.remoteFirst, nil, 2, ["remote", "save 1"], "remote 1"),
            (.remoteFirst, offline, 2, ["remote", "cache"], "cache 2, nobody answers at porch"),
            (.remoteFirst, offline, nil, ["remote", "cache"], "nobody answers at porch"),
            (.remoteFirst, .cancelled, 2, ["remote"], "cancelled"),
            (.none, nil, 2, ["remote"], "remote 1"),
            (.none, offline, 2, ["remote"], "nobody answers at porch"),
        ] as [(CachePolicy, LoadError?, Int?, [String], String)])
    func `a policy asks its sources in its order`(
        policy: CachePolicy, failure: LoadError?, cache: Int?, asked: [String], words: String
    ) async {
        let remote = failure.map(Result<Int, LoadError>.failure) ?? .success(1)
        let outcome = await fetch(policy, remote: remote, cache: cache)
        #expect(journal.lines == asked)
        #expect(Self.words(outcome) == words)
    }

    private static func words(_ outcome: Result<Fetched<Int>, LoadError>) -> String {
        switch outcome {
        case .failure(let error): "\(error)"
        case .success(let fetched):
            switch fetched.source {
            case .remote: "remote \(fetched.value)"
            case .cache(nil): "cache \(fetched.value)"
            case .cache(let failure?): "cache \(fetched.value), \(failure)"
            }
        }
    }

    // MARK: - Where it runs

    private let threads = Threads()

    @MainActor
    @Test func `a policy runs where its caller runs`() async {
        // What begins at once and never leaves this thread is over at once.
        let fetching = dispatch {
            let fetched = await Result { () async throws(LoadError) in
                try await CachePolicy.localFirst.fetch { () throws(LoadError) in
                    threads.note()
                    return 1
                } fromCache: {
                    threads.note()
                    return nil
                } saveToCache: { _ in
                    threads.note()
                }
            }
            #expect(Self.words(fetched) == "remote 1")
        }
        #expect(threads.all == Array(repeating: Threads.current(), count: 3))
        await fetching.value
    }

    /// A source that notes on which thread it makes its values. It has no `@concurrent`: that it
    /// leaves the main actor is its protocol's doing.
    private struct ThreadSource: CharacterSource {
        let threads: Threads

        func page(_ number: Int) async throws(LoadError) -> CharacterPage {
            threads.note()
            return CharacterPage(number: number, pageCount: 1, total: 0, characters: [])
        }

        func character(_ id: String) async throws(LoadError) -> CharacterProfile {
            threads.note()
            throw .notFound(id)
        }

        func image(_ path: String) async throws(LoadError) -> [UInt8] {
            threads.note()
            return FakeServer.graymap
        }
    }

    /// A clock that notes on which thread it is read, after so many readings.
    private final class ThreadClock: Clock {
        let minimumResolution = Duration.zero
        private let threads: Threads
        private let skipped: Mutex<Int>

        init(threads: Threads, skipping count: Int) {
            self.threads = threads
            skipped = Mutex(count)
        }

        var now: ContinuousClock.Instant {
            let isSkipped = skipped.withLock { skipped in
                skipped -= 1
                return skipped >= 0
            }
            if !isSkipped { threads.note() }
            return .now
        }

        func sleep(until deadline: ContinuousClock.Instant, tolerance: Duration?) async throws {}
    }

    private static func page(
        of repository: any CharacterRepository
    ) async -> Result<Loaded<CharacterPage>, LoadError> {
        await Result { () async throws(LoadError) in try await repository.page(1, .localFirst) }
    }

    @MainActor
    @Test func `a source does not run on the main actor that waits for it`() async {
        let source: any CharacterSource = ThreadSource(threads: threads)
        let asking = dispatch {
            _ = await Result { () async throws(LoadError) in try await source.page(1) }
        }
        #expect(threads.areElsewhere())
        await asking.value
    }

    @MainActor
    @Test func `a repository does not run on the main actor that waits for it`() async throws {
        // It reads the clock when it is created, when a page comes, and when it has one already.
        let repository: any CharacterRepository = CachingCharacterRepository(
            source: ThreadSource(threads: Threads()), images: ImageCache(files: MemoryFiles()),
            clock: ThreadClock(threads: threads, skipping: 2), server: "porch")
        #expect(try await Self.page(of: repository).get().age == nil)
        let loading = dispatch { _ = await Self.page(of: repository) }
        #expect(threads.areElsewhere())
        await loading.value
    }

    /// A transport, likewise.
    private struct ThreadTransport: Transport {
        let server = "porch"
        let threads: Threads

        func send(_ request: HTTPRequest) async throws(LoadError) -> HTTPResponse {
            threads.note()
            return FakeServer.json(#"{"data":{}}"#)
        }
    }

    @MainActor
    @Test func `a transport does not run on the main actor that waits for it`() async {
        let transport: any Transport = ThreadTransport(threads: threads)
        let sending = dispatch {
            _ = await Result { () async throws(LoadError) in try await transport.send(.get("/")) }
        }
        #expect(threads.areElsewhere())
        await sending.value
    }

    /// A value of JSON that notes on which thread it is decoded.
    private struct ThreadDTO: Decodable, Sendable {
        static let threads = Threads()

        init(from decoder: any Decoder) { Self.threads.note() }
    }

    @MainActor
    @Test func `nothing is decoded on the main actor that waits for it`() async {
        let client = GraphQLClient(
            transport: ThreadTransport(threads: threads), clock: ManualClock(), limit: .seconds(3))
        let asking = dispatch {
            _ = await Result { () async throws(LoadError) -> ThreadDTO in
                try await client.ask("query", .init(), ErrorMapper(name: "dto"))
            }
        }
        #expect(ThreadDTO.threads.areElsewhere())
        await asking.value
    }
}
