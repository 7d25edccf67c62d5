// AppComponent: the services of the app.
//
// Layer      feature.
// Isolation  Sendable; frozen after construction.
// Ownership  owns the repository; every feature below gets it through its dependency.

import CharactersNetworking
import NapkinCore

/// The root of the dependencies: where the server is, where the cache is, and by whose clock.
// SAFETY: immutable, sendable properties; see `Component`.
final class AppComponent: EmptyComponent, CharacterListDependency, @unchecked Sendable {
    let characters: Characters
    let clock: AnyClock

    /// The app's own. Settings that cannot be used are said on the screen.
    convenience init(settings: Result<Settings, Settings.Unusable>) {
        switch settings {
        case .success(let settings):
            let files = DiskFiles(directory: settings.cacheDirectory)
            // Of a directory that cannot be read, the first image will tell.
            try? files.removeUnfinished()
            self.init(
                transport: SocketTransport(to: settings.server), files: files, clock: .continuous)
        case .failure(let problem):
            self.init(.unusable(problem.description), .continuous)
        }
    }

    /// With another way to the server, another disk and another clock: a test's.
    convenience init(transport: any Transport, files: any FileSystem, clock: AnyClock) {
        self.init(
            .repository(
                CharacterRepository(
                    source: CharacterSource(transport: transport, clock: clock),
                    images: ImageCache(files: files), clock: clock, server: transport.server)),
            clock)
    }

    private init(_ characters: Characters, _ clock: AnyClock) {
        self.characters = characters
        self.clock = clock
        super.init()
    }
}

/// Where characters come from.
enum Characters: Sendable {
    case repository(CharacterRepository)
    /// Nowhere, and why.
    case unusable(String)
}
