// CachePolicyTests: in which order the two sources are asked, and where all of that runs.

import Glibc
import NapkinTesting
import Testing

@testable import CharactersNetworking

@Suite(.timeLimit(.minutes(1)))
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

    @MainActor
    @Test func `a policy runs where its caller runs`() async throws {
        let main = currentThread()
        let threads = Journal()
        let fetched = try await CachePolicy.localFirst.fetch { () throws(LoadError) in
            threads.note(currentThread())
            return 1
        } fromCache: {
            threads.note(currentThread())
            return nil
        } saveToCache: { _ in
            threads.note(currentThread())
        }
        #expect(fetched.source == .remote)
        #expect(threads.lines == [main, main, main])
    }

    /// A source that notes on which thread it makes its values.
    private struct ThreadSource: CharacterSource {
        let threads: Journal

        @concurrent
        func page(_ number: Int) async throws(LoadError) -> CharacterPage {
            threads.note(currentThread())
            return CharacterPage(number: number, pageCount: 1, total: 0, characters: [])
        }

        @concurrent
        func character(_ id: String) async throws(LoadError) -> CharacterProfile {
            threads.note(currentThread())
            throw .notFound(id)
        }

        @concurrent
        func image(_ path: String) async throws(LoadError) -> [UInt8] {
            threads.note(currentThread())
            return FakeServer.graymap
        }
    }

    /// A value of JSON that notes on which thread it is decoded.
    private struct ThreadDTO: Decodable, Sendable {
        let thread: String

        init(from decoder: any Decoder) { thread = currentThread() }
    }

    @MainActor
    @Test func `neither repository nor source runs on the main actor that waits for them`()
        async throws
    {
        let threads = Journal()
        let clock = ManualClock()
        let repository: any CharacterRepository = CachingCharacterRepository(
            source: ThreadSource(threads: threads), images: ImageCache(files: MemoryFiles()),
            clock: clock, server: "porch")
        _ = try await repository.page(1, .localFirst)
        _ = try await repository.image("/p", .none)
        await #expect(throws: LoadError.notFound("ann")) {
            try await repository.profile("ann", .remoteFirst)
        }
        #expect(threads.lines.count == 3)
        #expect(!threads.lines.contains(currentThread()))
    }

    @MainActor
    @Test func `neither transport nor decoding runs on the main actor that waits for them`()
        async throws
    {
        let threads = Journal()
        let transport: any Transport = ThreadTransport(threads: threads)
        _ = try await transport.send(.get("/"))
        let client = GraphQLClient(
            transport: transport, clock: ManualClock(), limit: .seconds(3))
        let dto: ThreadDTO = try await client.ask("query", .init(), ErrorMapper(name: "dto"))
        #expect(threads.lines.count == 2)
        #expect(!threads.lines.contains(currentThread()))
        #expect(dto.thread != currentThread())
    }

    /// A transport without `@concurrent`: that it leaves the main actor is its protocol's doing.
    private struct ThreadTransport: Transport {
        let server = "porch"
        let threads: Journal

        func send(_ request: HTTPRequest) async throws(LoadError) -> HTTPResponse {
            threads.note(currentThread())
            return FakeServer.json(#"{"data":{}}"#)
        }
    }
}

/// `pid/task/tid`, asked of the kernel: `pthread_self` is declared constant, so that the compiler
/// may move it across a hop.
private func currentThread() -> String {
    var text = [CChar](repeating: 0, count: 64)
    let count = readlink("/proc/thread-self", &text, text.count)
    return String(decoding: text.prefix(max(0, count)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
}
