// CharacterRepository: characters, from the source that a policy chooses.
//
// Layer      networking.
// Isolation  actor (default). Others run between a request and its answer: a decision before an
//            await is checked again after it.
// Ownership  owns the memory cache; shares the disk cache.

/// The source that is asked first.
package enum ReadPolicy: Sendable, CaseIterable {
    case localFirst
    case remoteFirst
    case none
}

/// A loaded value.
package struct Loaded<Value: Sendable>: Sendable {
    package let value: Value
    /// Its age; `nil` if it has just come from the server.
    package let age: Duration?
    /// Whether it is too old to count as current: then ask the server, with `.remoteFirst`.
    package let isStale: Bool
    /// Why the server did not return it, if the server was asked first.
    package let failure: LoadError?
}

extension Loaded: Equatable where Value: Equatable {}

/// A loaded image.
package struct LoadedImage: Equatable, Sendable {
    package enum Origin: Sendable { case server, disk }

    package let bytes: [UInt8]
    package let origin: Origin
    /// Why it is not on the disk, where it should be.
    package let notKept: FileError?
}

/// The features' only access to servers and caches.
package actor CharacterRepository {
    /// How long a value counts as current. Chosen: characters change seldom.
    package static let freshFor = Duration.seconds(60)
    /// Pages, and profiles, in memory. Chosen: as many as a person looks through.
    package static let entriesMax = 64

    private let source: CharacterSource
    private let images: ImageCache
    /// The time since the repository was created.
    private let now: @Sendable () -> Duration
    private let server: String
    private var pages = MemoryCache<Int, CharacterPage>(capacity: entriesMax)
    private var profiles = MemoryCache<String, CharacterProfile>(capacity: entriesMax)
    private let pageRequests = InFlight<Int, CharacterPage>()
    private let profileRequests = InFlight<String, CharacterProfile>()
    private let imageRequests = InFlight<String, [UInt8]>()

    /// - Parameter server: the server's name, so that servers do not share images.
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
            // If the server no longer has it, a cache must not answer either.
            if case .notFound = error { profiles.remove(id) }
            return try fallback(error, policy, profiles.entry(for: id))
        }
    }

    /// - Parameter path: the image's path on the server.
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

    /// Returns how many callers wait for a page.
    package nonisolated func pageWaiters(_ number: Int) -> Int {
        pageRequests.waiters(for: number)
    }

    /// Returns how many callers wait for a character's profile.
    package nonisolated func profileWaiters(_ id: String) -> Int {
        profileRequests.waiters(for: id)
    }

    /// Returns how many callers wait for the image at a path.
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

    // MARK: - Sources

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
