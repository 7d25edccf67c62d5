// SessionExport: one session as a file with which another machine can continue.
//
// Invariant  reading returns what was written, or an error; an image that can be read can be
//            restored as bytes.
// Spec       Protocol/LEDGER.md, "Exported sessions"

package import NapkinCoding
package import NapkinCore

/// An exported session.
@Message
package struct SessionExport: Equatable, LedgerItem {
    package var app: String
    /// Its name.
    package var session: String
    /// The newest group that the image includes, in the journal of its origin.
    package var record: UInt64
    /// The encoded image, whose routers have the numbers of descriptions in `schemas`.
    package var image: [UInt8]
    /// The descriptions of states, numbered from 1.
    package var schemas: [StateSchema]

    /// "NKX1", read as a little-endian number.
    private static let magic: UInt32 = 0x3158_4B4E
    /// Magic, length, checksum of the payload, checksum of these three.
    private static let headerBytes = 20

    private init(
        app: String, session: String, record: UInt64, image: [UInt8], schemas: [StateSchema]
    ) {
        (self.app, self.session, self.record) = (app, session, record)
        (self.image, self.schemas) = (image, schemas)
    }

    /// Returns the file. Runs beside the loop, since it may be large.
    @concurrent
    package static func file(
        of image: SessionImage, app: String, record: UInt64, schemas: [StateSchema] = []
    ) async throws -> [UInt8] {
        try SessionExport(
            app: app, session: image.title.name, record: record, image: try image.encoded(),
            schemas: schemas
        ).file()
    }

    package func file() throws(CBORError) -> [UInt8] {
        var writer = CBORWriter()
        try writer.write(self)
        let payload = writer.copyBytes()
        var file: [UInt8] = []
        func append(_ word: UInt32) {
            withUnsafeBytes(of: word.littleEndian) { file += $0 }
        }
        append(Self.magic)
        append(UInt32(truncatingIfNeeded: payload.count))
        append(UInt32(truncatingIfNeeded: UInt64(payload.count) >> 32))
        append(payload.withUnsafeBytes { CRC32C.of($0) })
        append(file.withUnsafeBytes { CRC32C.of($0) })
        return file + payload
    }

    /// Reads a file and checks all of it. Runs beside the loop.
    @concurrent
    package static func read(
        _ file: [UInt8]
    ) async throws -> (export: SessionExport, image: SessionImage) {
        let export = try SessionExport(file: file)
        let image = try SessionImage(decoding: export.image)
        guard image.title.name == export.session else {
            throw ImageError(description: "its image is of session '\(image.title.name)'")
        }
        for node in image.nodes where node.schema.map({ $0 > export.schemas.count }) == true {
            throw ImageError(
                description: "the state of router \(node.place.number) is not described")
        }
        return (export, image)
    }

    /// Reads a file, without its image.
    package init(file: [UInt8]) throws {
        func word(_ offset: Int) -> UInt32 {
            file.withUnsafeBytes {
                UInt32(littleEndian: $0.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
            }
        }
        guard file.count >= Self.headerBytes, word(0) == Self.magic else {
            throw ImageError(description: "it does not begin as an exported session does")
        }
        let head = file.withUnsafeBytes { CRC32C.of(UnsafeRawBufferPointer(rebasing: $0[..<16])) }
        guard head == word(16) else {
            throw ImageError(description: "the checksum of its header does not match")
        }
        let length = UInt64(word(4)) | UInt64(word(8)) << 32
        let payload = Array(file[Self.headerBytes...])
        guard UInt64(payload.count) == length else {
            throw ImageError(
                description: "it has \(payload.count) bytes after its header instead of \(length)")
        }
        guard payload.withUnsafeBytes({ CRC32C.of($0) }) == word(12) else {
            throw ImageError(description: "its checksum does not match: bytes of it were changed")
        }
        self = try Self.read(payload)
    }
}

extension SessionImage {
    /// Returns this image as that of a second session, with another tree and without the first
    /// one's timers and jobs: only one session may send a job's key.
    package func copied(as name: String, id: String, epoch: UInt32) -> SessionImage {
        var image = self
        image.title = SessionTitle(name: name, id: id, epoch: epoch)
        (image.timers, image.jobs) = ([], [])
        return image
    }

    /// Returns this older image as it continues after `current`: what has happened is not undone,
    /// and no number is given a second time.
    ///
    /// Fronts keep the answers to their events, so that no event runs again. Their pages stay as
    /// they were; the pages of fronts that are gone are dropped.
    package func resumed(after current: SessionImage) -> SessionImage {
        var image = self
        (image.title, image.session) = (current.title, current.session)
        image.newestNode = max(newestNode, current.newestNode)
        image.newestFront = max(newestFront, current.newestFront)
        image.fronts = current.fronts
        let fronts = Set(current.fronts.map(\.front))
        let left = nodes.map(\.place).filter { $0.front.map { !fronts.contains($0) } ?? false }
        let gone = below(left.map(\.number), and: [])
        image.nodes.removeAll { gone.contains($0.place.number) }
        image.own = current.own
        let kept = Set(image.nodes.map(\.place.number))
        image.detachInputs(of: Set(current.nodes.map(\.place.number)).subtracting(kept))
        // A log continues: fronts have seen its items.
        let logs = Dictionary(current.nodes.map { ($0.place.number, $0.logs) }) { $1 }
        for index in image.nodes.indices {
            if let known = logs[image.nodes[index].place.number] { image.nodes[index].logs = known }
        }
        return image
    }
}
