// Album: a feature with a value that is larger than a message, as an app would write it.

import Foundation
package import NapkinCore
import NapkinFront
import NapkinSystem

package enum Album: Feature {
    package static let id: FeatureID = "kitchen.album"
    package typealias Presenting = AlbumPresentableCrossing
    package typealias Listening = AlbumPresentableListenerCrossing
}

/// What the screen of an album shows.
@Crossing @MainActor
package protocol AlbumPresentable: Presentable {
    func present(picture: Blob) async
}

@Crossing
package protocol AlbumPresentableListener: PresentableListener {
    func didTapShow(_ path: String) async throws
    /// Appends to the upload; the first part has the offset 0.
    func write(_ bytes: [UInt8], at offset: Int) async throws
    func uploaded() async throws -> Int
}

/// A part does not follow the one before it.
struct Misplaced: Error {}

final actor AlbumInteractor: PresentableInteractable, AlbumPresentableListener {
    nonisolated let lifecycle = InteractorLifecycle()
    nonisolated let presenter: any AlbumPresentable
    private var picture: BlobSource?
    private var upload: [UInt8] = []

    init(presenter: any AlbumPresentable) { self.presenter = presenter }

    func didTapShow(_ path: String) async throws {
        let source = try BlobSource(file: path)
        picture = source
        await presenter.present(picture: source.blob)
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
    private(set) var picture: Blob?
    private(set) var progress = 0.0

    init(_ context: ViewContext<Album>) { self.context = context }

    func present(picture: Blob) async { self.picture = picture }

    /// Reads the picture into a file. A task that is cancelled reads no further.
    func save(_ picture: Blob, to file: FileHandle) async throws {
        try await context.read(picture) { part in
            try file.write(contentsOf: part.bytes)
            progress = part.fraction
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
