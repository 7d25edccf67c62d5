// Album: a feature with a value that is larger than a message, as an app would write it.

import Foundation
package import NapkinCore
import NapkinFront

package enum Album: Feature {
    package static let id: FeatureID = "kitchen.album"
    package typealias Presenting = AlbumPresentableCrossing
    package typealias Listening = AlbumPresentableListenerCrossing
}

/// A picture, which stays in the worker: a view reads it in parts.
@Message
package struct Picture: Hashable {
    package var name: String
    package var byteCount: Int
}

/// What the screen of an album shows.
@Crossing @MainActor
package protocol AlbumPresentable: Presentable {
    func present(picture: Picture) async
}

@Crossing
package protocol AlbumPresentableListener: PresentableListener {
    func didTapShow(_ path: String) async throws
    /// Returns the picture's next bytes, 256 KiB at most; none at its end.
    func read(from offset: Int) async throws -> [UInt8]
    /// Appends to the upload; the first part has the offset 0.
    func write(_ bytes: [UInt8], at offset: Int) async throws
    func uploaded() async throws -> Int
}

/// No part begins there.
struct Misplaced: Error {}

final actor AlbumInteractor: PresentableInteractable, AlbumPresentableListener {
    nonisolated let lifecycle = InteractorLifecycle()
    nonisolated let presenter: any AlbumPresentable
    private var picture: FileHandle?
    private var upload: [UInt8] = []

    init(presenter: any AlbumPresentable) { self.presenter = presenter }

    func didTapShow(_ path: String) async throws {
        let file = URL(fileURLWithPath: path)
        let picture = try FileHandle(forReadingFrom: file)
        self.picture = picture
        let size = try Int(picture.seekToEnd())
        await presenter.present(picture: Picture(name: file.lastPathComponent, byteCount: size))
    }

    func read(from offset: Int) async throws -> [UInt8] {
        guard let picture, offset >= 0 else { throw Misplaced() }
        try picture.seek(toOffset: UInt64(offset))
        return Array(try picture.read(upToCount: 256 * 1024) ?? Data())
    }

    func write(_ bytes: [UInt8], at offset: Int) async throws {
        if offset == 0 { upload = [] }
        guard offset == upload.count else { throw Misplaced() }
        upload += bytes
    }

    func uploaded() async throws -> Int { upload.count }
}

@MainActor
final class AlbumView: AlbumPresentable {
    let context: ViewContext<Album>
    private(set) var picture: Picture?
    private(set) var progress = 0.0

    init(_ context: ViewContext<Album>) { self.context = context }

    func present(picture: Picture) async { self.picture = picture }

    /// Reads the picture into a file. A task that is cancelled reads no further.
    func save(_ picture: Picture, to file: FileHandle) async throws {
        var offset = 0
        while case let part = try await context.listener.read(from: offset), !part.isEmpty {
            try file.write(contentsOf: part)
            offset += part.count
            progress = Double(offset) / Double(picture.byteCount)
        }
    }

    /// Sends a file in parts, and says how much of it has arrived.
    func send(_ file: FileHandle, of byteCount: Int) async throws {
        var offset = 0
        while let part = try file.read(upToCount: 256 * 1024), !part.isEmpty {
            try await context.listener.write(Array(part), at: offset)
            offset += part.count
            progress = Double(offset) / Double(byteCount)
        }
    }
}
