// AlbumTests: files that fronts read in parts, and send in parts.

import Foundation
import NapkinCore
import NapkinFront
import NapkinTesting
import TestSupport
import Testing

@MainActor
@Suite(.timeLimit(.minutes(10)))
struct AlbumTests {
    private enum AlbumApp: App {
        static let id = "album"
        static let features: [any Feature.Type] = [Album.self]

        @MainActor
        static func makeRoot(_ session: SessionContext) async -> any LaunchRouting {
            LaunchRouter(Album.self) { view in AlbumInteractor(presenter: view.presenter) }
        }
    }

    private let directory = TemporaryDirectory()

    private func path(_ name: String) -> String { directory.path + "/" + name }

    /// Writes a file of random bytes.
    private func write(_ count: Int, to name: String) throws -> Data {
        let random = try #require(FileHandle(forReadingAtPath: "/dev/urandom"))
        let bytes = try #require(try random.read(upToCount: count))
        try bytes.write(to: URL(fileURLWithPath: path(name)))
        return bytes
    }

    private func withView(
        _ body: (AlbumView) async throws -> Void
    ) async throws {
        let session = await TestSession.launch(AlbumApp.self)
        let views = RecordingViews()
        views.registry.register(Album.self) { AlbumView($0) }
        let front = try await session.attach(views)
        try await body(try #require(front.view(of: Album.id, as: AlbumView.self)))
        await session.end()
    }

    @Test
    func `a file crosses in parts, also when it is removed meanwhile`() async throws {
        let bytes = try write(20_000_003, to: "picture")
        try await withView { view in
            try await view.context.listener.didTapShow(path("picture"))
            #expect(unlink(path("picture")) == 0)
            #expect(FileManager.default.createFile(atPath: path("copy"), contents: nil))
            let copy = try #require(FileHandle(forWritingAtPath: path("copy")))
            try await view.save(try #require(view.picture), to: copy)
            try copy.close()
            #expect(view.progress == 1)
        }
        #expect(try Data(contentsOf: URL(fileURLWithPath: path("copy"))) == bytes)
    }

    @Test
    func `a front sends a file as several events`() async throws {
        _ = try write(20_000_003, to: "upload")
        try await withView { view in
            let file = try #require(FileHandle(forReadingAtPath: path("upload")))
            try await view.send(file, of: 20_000_003)
            #expect(try await view.context.listener.uploaded() == 20_000_003)
            #expect(view.progress == 1)
        }
    }
}
