// AlbumTests: files that fronts read in parts, and send in parts.

import Foundation
import NapkinCore
import NapkinFront
import NapkinSystem
import NapkinTesting
import NapkinTransport
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
    func `a program reads on when its connection is there again`() async throws {
        let bytes = try write(1_000_000, to: "picture")
        let session = await TestSession.launch(AlbumApp.self)
        let views = RecordingViews()
        let album = FeatureClient(Album.self, in: views.registry)
        let front = try await session.attach(views)
        try await album.listener.didTapShow(path("picture"))
        let picture = try await album.state { message in
            if case .presentPicture(let picture) = message { picture } else { nil }
        }
        var (read, cuts) = (Data(), 0)
        try await album.read(picture) { part in
            read += part.bytes
            guard cuts < 3, part.offset > cuts * 200_000 else { return }
            cuts += 1
            await front.disconnect()
            // The parts that are asked for now wait for the connection, or are not sent.
            if cuts == 2 { dispatch { await front.reconnect() } } else { await front.reconnect() }
        }
        #expect(read == bytes && cuts == 3)
        await session.end()
    }

    @Test func `all of it at once, unless it is more than is taken`() async throws {
        let bytes = try write(300_000, to: "picture")
        try await withView { view in
            try await view.context.listener.didTapShow(path("picture"))
            let picture = try #require(view.picture)
            var fractions: [Double] = []
            let read = try await view.context.bytes(of: picture) { fractions.append($0) }
            #expect(read == Array(bytes))
            #expect(fractions.count == 5 && fractions.last == 1)
            let fault = await #expect(throws: RemoteFault.self) {
                _ = try await view.context.bytes(of: picture, atMost: 299_999)
            }
            #expect(fault?.code == .refused)
        }
    }

    @Test func `a file that is made shorter fails in words`() async throws {
        _ = try write(300_000, to: "picture")
        try await withView { view in
            try await view.context.listener.didTapShow(path("picture"))
            #expect(truncate(path("picture"), 100_000) == 0)
            let fault = await #expect(throws: RemoteFault.self) {
                _ = try await view.context.bytes(of: try #require(view.picture))
            }
            #expect(fault?.code == .failed && fault?.message.contains("shorter") == true)
        }
    }

    @Test func `only a regular file is offered`() throws {
        #expect(mkfifo(path("pipe"), 0o600) == 0)
        func code(_ path: String) -> String? {
            do throws(TransportError) {
                _ = try BlobSource(file: path)
                return nil
            } catch {
                return error.code
            }
        }
        #expect(code(path("pipe")) == "EINVAL")
        #expect(code(directory.path) == "EINVAL")
        #expect(code(path("missing")) == "ENOENT")
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
