// AppComponent: the services of the app.
//
// Ownership  owns the repository; every feature below gets it through its dependency.

import CharactersNetworking
import NapkinCore

/// The root of the dependencies: where the server and the cache are, and which clock counts.
final class AppComponent: EmptyComponent, CharacterListDependency {
    let characters: Characters
    let clock: AnyClock

    /// Creates the app's component. The screen names settings that cannot be used.
    ///
    /// - Parameter cache: the path of the directory for images.
    convenience init(settings: Result<Settings, Settings.Unusable>, cache: String) {
        switch settings {
        case .success(let settings):
            let files = DiskFiles(directory: cache)
            // If the directory cannot be read, the first image will show that.
            try? files.removeUnfinished()
            self.init(
                transport: ServerTransport(to: settings.server), files: files, clock: .continuous)
        case .failure(let problem):
            self.init(.unusable(problem.description), .continuous)
        }
    }

    /// Creates a component with another transport, file system and clock, for tests.
    convenience init(transport: any Transport, files: any FileSystem, clock: AnyClock) {
        self.init(
            .repository(
                CachingCharacterRepository(
                    source: RemoteCharacterSource(transport: transport, clock: clock),
                    images: ImageCache(files: files), clock: clock, server: transport.server)),
            clock)
    }

    private init(_ characters: Characters, _ clock: AnyClock) {
        self.characters = characters
        self.clock = clock
        super.init()
    }
}

/// The source of characters.
enum Characters: Sendable {
    case repository(any CharacterRepository)
    /// There is no source, for this reason.
    case unusable(String)
}
