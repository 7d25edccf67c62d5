// CharacterRepository: characters, from wherever a policy says.
//
// Layer      networking.
// Isolation  actor (default). Between asking and having, others get their turn: what is decided
//            before an await is looked at again behind it.
// Ownership  owns the memory's cache; shares the disk's.

/// What is asked first.
package enum ReadPolicy: Sendable, CaseIterable {
    case localFirst
    case remoteFirst
    case none
}

/// Something that was had.
package struct Loaded<Value: Sendable>: Sendable {
    package let value: Value
    /// How old it is; `nil` when it has come from the server now.
    package let age: Duration?
    /// Whether it is older than what is taken for the present: then ask the server, by
    /// `.remoteFirst`.
    package let isStale: Bool
    /// Why the server did not give it, where it was asked first.
    package let failure: LoadError?
}

extension Loaded: Equatable where Value: Equatable {}

/// An image that was had.
package struct LoadedImage: Equatable, Sendable {
    package enum Origin: Sendable { case server, disk }

    package let bytes: [UInt8]
    package let origin: Origin
    /// Why it is not on the disk now, where it should be.
    package let notKept: FileError?
}

/// All that features know of servers and caches.
package actor CharacterRepository {
    /// How long a value is taken for the present. Chosen: characters change seldom.
    package static let freshFor = Duration.seconds(60)
    /// Pages, and profiles, in memory. Chosen: what a person looks through.
    package static let entriesMax = 64

    private let source: CharacterSource
    private let images: ImageCache
    /// Since the repository was made.
    private let now: @Sendable () -> Duration
    private let server: String
    private var pages = MemoryCache<Int, CharacterPage>(capacity: entriesMax)
    private var profiles = MemoryCache<String, CharacterProfile>(capacity: entriesMax)
    private let pageRequests = InFlight<Int, CharacterPage>()
    private let profileRequests = InFlight<String, CharacterProfile>()
    private let imageRequests = InFlight<String, [UInt8]>()

    /// - Parameter server: its name, so that servers do not share images.
    package init<C: Clock>(
        source: CharacterSource, images: ImageCache, clock: C, server: String
    ) where C.Duration == Duration {
        self.source = source
        self.images = images
        let start = clock.now
        now = { start.duration(to: clock.now) }
        self.server = server
    }

    package func page(
        _ number: Int, _ policy: ReadPolicy
    ) async throws(LoadError) -> Loaded<CharacterPage> {
        if policy == .localFirst, let known = pages.entry(for: number) { return cached(known) }
        let outcome = await pageRequests.outcome(for: number) { [source] in
            await source.page(number)
        }
        switch outcome {
        case .success(let page):
            if policy != .none { pages.put(page, for: number, at: now()) }
            return remote(page)
        case .failure(let error):
            return try fallback(error, policy, pages.entry(for: number))
        }
    }

    package func profile(
        _ id: String, _ policy: ReadPolicy
    ) async throws(LoadError) -> Loaded<CharacterProfile> {
        if policy == .localFirst, let known = profiles.entry(for: id) { return cached(known) }
        let outcome = await profileRequests.outcome(for: id) { [source] in
            await source.character(id)
        }
        switch outcome {
        case .success(let profile):
            if policy != .none { profiles.put(profile, for: id, at: now()) }
            return remote(profile)
        case .failure(let error):
            // What the server does not have any more is no answer from a cache either.
            if case .notFound = error { profiles.remove(id) }
            return try fallback(error, policy, profiles.entry(for: id))
        }
    }

    /// - Parameter path: of the image on the server.
    package func image(
        _ path: String, _ policy: ReadPolicy
    ) async throws(LoadError) -> LoadedImage {
        let key = "\(server)\(path)"
        var problem: FileError?
        if policy == .localFirst {
            switch await stored(key) {
            case .success(let bytes?):
                return LoadedImage(bytes: bytes, origin: .disk, notKept: nil)
            case .success(nil): break
            case .failure(let error): problem = error
            }
        }
        let outcome = await imageRequests.outcome(for: path) { [source] in
            await source.image(path)
        }
        switch outcome {
        case .success(let bytes):
            if policy != .none { problem = await store(bytes, key) ?? problem }
            return LoadedImage(bytes: bytes, origin: .server, notKept: problem)
        case .failure(let error):
            guard policy == .remoteFirst, error != .cancelled,
                case .success(let bytes?) = await stored(key)
            else { throw error }
            return LoadedImage(bytes: bytes, origin: .disk, notKept: nil)
        }
    }

    /// How many wait for the image of a path.
    package nonisolated func imageWaiters(_ path: String) -> Int {
        imageRequests.waiters(for: path)
    }

    // MARK: - The disk

    private func stored(_ key: String) async -> Result<[UInt8]?, FileError> {
        do throws(FileError) {
            return .success(try await images.image(for: key))
        } catch {
            return .failure(error)
        }
    }

    /// Returns why it has not been kept.
    private func store(_ bytes: [UInt8], _ key: String) async -> FileError? {
        do throws(FileError) {
            try await images.store(bytes, for: key)
            return nil
        } catch {
            return error
        }
    }

    // MARK: - Where it came from

    private func remote<Value>(_ value: Value) -> Loaded<Value> {
        Loaded(value: value, age: nil, isStale: false, failure: nil)
    }

    private func cached<Key, Value>(
        _ entry: MemoryCache<Key, Value>.Entry, failure: LoadError? = nil
    ) -> Loaded<Value> {
        let age = now() - entry.arrival
        return Loaded(
            value: entry.value, age: age, isStale: age > Self.freshFor, failure: failure)
    }

    private func fallback<Key, Value>(
        _ error: LoadError, _ policy: ReadPolicy, _ entry: MemoryCache<Key, Value>.Entry?
    ) throws(LoadError) -> Loaded<Value> {
        guard policy == .remoteFirst, error != .cancelled, let entry else { throw error }
        return cached(entry, failure: error)
    }
}
