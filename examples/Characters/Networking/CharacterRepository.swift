// CharacterRepository: characters, from the source that a policy chooses.
//
// Isolation  any thread: its methods are `@concurrent`. What is kept belongs to actors.
// Ownership  owns the memory caches; shares the disk cache.

/// A loaded value.
package nonisolated struct Loaded<Value: Sendable>: Sendable {
    package let value: Value
    /// Its age; `nil` if it has just come from the server.
    package let age: Duration?
    /// Whether it is too old to count as current: then ask the server, with `.remoteFirst`.
    package let isStale: Bool
    /// Why the server did not return it, if the server was asked first.
    package let failure: LoadError?
}

nonisolated extension Loaded: Equatable where Value: Equatable {}

/// A loaded image.
package nonisolated struct LoadedImage: Equatable, Sendable {
    package nonisolated enum Origin: Sendable { case server, disk }

    package let bytes: [UInt8]
    package let origin: Origin
    /// Why it is not on the disk, where it should be.
    package let notKept: FileError?
}

/// The features' only access to servers and caches.
package nonisolated protocol CharacterRepository: Sendable {
    @concurrent
    func page(
        _ number: Int, _ policy: CachePolicy
    ) async throws(LoadError) -> Loaded<CharacterPage>

    @concurrent
    func profile(
        _ id: String, _ policy: CachePolicy
    ) async throws(LoadError) -> Loaded<CharacterProfile>

    /// - Parameter path: the image's path on the server.
    @concurrent
    func image(_ path: String, _ policy: CachePolicy) async throws(LoadError) -> LoadedImage
}

/// Characters of a server, with pages and profiles in memory and images on a disk.
package nonisolated struct CachingCharacterRepository: CharacterRepository {
    /// How long a value counts as current. Chosen: characters change seldom.
    package static let freshFor = Duration.seconds(60)
    /// Pages, and profiles, in memory. Chosen: as many as a person looks through.
    package static let entriesMax = 64

    private let source: any CharacterSource
    private let images: ImageCache
    /// The time since the repository was created.
    private let now: @Sendable () -> Duration
    private let server: String
    private let pages = MemoryCache<Int, CharacterPage>(capacity: entriesMax)
    private let profiles = MemoryCache<String, CharacterProfile>(capacity: entriesMax)
    private let pageRequests = InFlight<Int, Received<CharacterPage>>()
    private let profileRequests = InFlight<String, Received<CharacterProfile>>()
    private let imageRequests = InFlight<String, [UInt8]>()

    /// - Parameter server: the server's name, so that servers do not share images.
    package init<C: Clock>(
        source: any CharacterSource, images: ImageCache, clock: C, server: String
    ) where C.Duration == Duration {
        self.source = source
        self.images = images
        let start = clock.now
        now = { start.duration(to: clock.now) }
        self.server = server
    }

    @concurrent
    package func page(
        _ number: Int, _ policy: CachePolicy
    ) async throws(LoadError) -> Loaded<CharacterPage> {
        let fetched = try await policy.fetch { () throws(LoadError) in
            try await pageRequests.value(for: number) { [source, now] () throws(LoadError) in
                Received(try await source.page(number), at: now())
            }
        } fromCache: {
            await pages.value(for: number)
        } saveToCache: {
            await pages.put($0, for: number)
        }
        return loaded(fetched)
    }

    @concurrent
    package func profile(
        _ id: String, _ policy: CachePolicy
    ) async throws(LoadError) -> Loaded<CharacterProfile> {
        let fetched = try await policy.fetch { () throws(LoadError) in
            do throws(LoadError) {
                return try await profileRequests.value(for: id) {
                    [source, now] () throws(LoadError) in
                    Received(try await source.character(id), at: now())
                }
            } catch {
                // If the server no longer has it, a cache must not answer either.
                if case .notFound = error { await profiles.remove(id) }
                throw error
            }
        } fromCache: {
            await profiles.value(for: id)
        } saveToCache: {
            await profiles.put($0, for: id)
        }
        return loaded(fetched)
    }

    @concurrent
    package func image(
        _ path: String, _ policy: CachePolicy
    ) async throws(LoadError) -> LoadedImage {
        let key = "\(server)\(path)"
        var problem: FileError?
        let fetched = try await policy.fetch { () throws(LoadError) in
            try await imageRequests.value(for: path) { [source] () throws(LoadError) in
                try await source.image(path)
            }
        } fromCache: {
            do throws(FileError) {
                return try await images.image(for: key)
            } catch {
                problem = error
                return nil
            }
        } saveToCache: { bytes in
            do throws(FileError) {
                try await images.store(bytes, for: key)
            } catch {
                problem = error
            }
        }
        return fetched.source == .remote
            ? LoadedImage(bytes: fetched.value, origin: .server, notKept: problem)
            : LoadedImage(bytes: fetched.value, origin: .disk, notKept: nil)
    }

    private func loaded<Value>(_ fetched: Fetched<Received<Value>>) -> Loaded<Value> {
        let value = fetched.value.value
        guard case .cache(let failure) = fetched.source else {
            return Loaded(value: value, age: nil, isStale: false, failure: nil)
        }
        let age = now() - fetched.value.time
        return Loaded(value: value, age: age, isStale: age > Self.freshFor, failure: failure)
    }

    /// Returns how many callers wait for a page.
    package func pageWaiters(_ number: Int) -> Int { pageRequests.waiters(for: number) }

    /// Returns how many callers wait for a character's profile.
    package func profileWaiters(_ id: String) -> Int { profileRequests.waiters(for: id) }

    /// Returns how many callers wait for the image at a path.
    package func imageWaiters(_ path: String) -> Int { imageRequests.waiters(for: path) }
}
