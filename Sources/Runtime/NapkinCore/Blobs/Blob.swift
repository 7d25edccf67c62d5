// Blob: a value that may be larger than a frame, as contracts name it, and how a front reads it.
//
// Invariant  parts are handed on in order, each once; at most `partsMax` are under way or wait.
// Spec       Protocol/SPEC.md, section 6 (Messages): event

/// A value of any size that stays where it is: a message carries its name, and a front that wants
/// the value reads it in parts.
///
/// A worker makes one with a ``BlobSource``, and gives it to fronts in a state, a log, an effect,
/// a result or arguments.
@Message
public struct Blob: Hashable, Sendable {
    /// Chosen at random, 1 to 2^53 - 1: nobody knows it but those who were given the blob.
    public let id: UInt64
    public let byteCount: UInt64

    /// The end of the part that begins at `offset`; `nil` if the blob ends before that.
    func part(from offset: UInt64) -> Range<UInt64>? {
        guard offset <= byteCount else { return nil }
        return offset..<offset + min(UInt64(Limits.blobPartBytes), byteCount - offset)
    }
}

/// Consecutive bytes of a blob, and so how much of it has been read.
public struct BlobPart: Sendable {
    public let blob: Blob
    /// The offset of the first byte.
    public let offset: UInt64
    public let bytes: [UInt8]

    /// The offset of the next part; reading can resume from there after a failure.
    public var end: UInt64 { offset + UInt64(bytes.count) }
    /// The fraction of the blob that lies before `end`, 0 to 1.
    public var fraction: Double { Double(end) / Double(blob.byteCount) }
}

/// Parts of one blob under way or early: 512 KiB. Chosen: enough for 10 MB/s at 50 ms.
private let partsMax = 8

extension EventPort {
    /// Reads a blob from `start` on; see `ViewContext.read(_:from:_:)`.
    package func read(
        _ blob: Blob, from start: UInt64, _ take: @MainActor (BlobPart) async throws -> Void
    ) async throws {
        try await withThrowingTaskGroup(
            of: (offset: UInt64, outcome: Result<[UInt8], RemoteFault>).self
        ) { group in
            // Where the next part to take begins, and the next one to ask for.
            var (due, next) = (start, start)
            var arrived: [UInt64: [UInt8]] = [:]
            var underWay = 0
            while due < blob.byteCount {
                while underWay + arrived.count < partsMax, next < blob.byteCount {
                    let offset = next
                    next = blob.part(from: offset)?.upperBound ?? blob.byteCount
                    underWay += 1
                    group.addTask { (offset, await self.part(of: blob, from: offset)) }
                }
                guard let (offset, outcome) = try await group.next() else { break }
                underWay -= 1
                do throws(RemoteFault) {
                    arrived[offset] = try outcome.get()
                } catch {
                    throw error.thrown
                }
                while let bytes = arrived.removeValue(forKey: due) {
                    try Task.checkCancellation()
                    let part = BlobPart(blob: blob, offset: due, bytes: bytes)
                    try await take(part)
                    due = part.end
                }
            }
        }
    }

    private func part(of blob: Blob, from offset: UInt64) async -> Result<[UInt8], RemoteFault> {
        do throws(RemoteFault) {
            let answer: Payload = try await call(.readBlob) { (writer) throws(CBORError) in
                writer.writeArrayHeader(2)
                try writer.write(blob.id)
                try writer.write(offset)
            }
            let bytes: [UInt8]
            do throws(CBORError) {
                bytes = try answer.decode()
            } catch {
                throw RemoteFault(.failed, "the part of a blob cannot be read: \(error)")
            }
            let count = blob.part(from: offset)?.count ?? 0
            guard bytes.count == count else {
                throw RemoteFault(
                    .failed, "the part of a blob has \(bytes.count) bytes, not \(count)")
            }
            return .success(bytes)
        } catch {
            return .failure(error)
        }
    }

    /// Reads a whole blob; see `ViewContext.bytes(of:atMost:progress:)`.
    package func bytes(
        of blob: Blob, atMost bytesMax: Int, progress: @MainActor (Double) -> Void
    ) async throws -> [UInt8] {
        guard blob.byteCount <= UInt64(max(0, bytesMax)) else {
            throw RemoteFault(
                .refused, "the blob has \(blob.byteCount) bytes, and at most \(bytesMax) are taken")
        }
        var bytes: [UInt8] = []
        // The size is only what the message claims, so the reservation is capped.
        bytes.reserveCapacity(Int(min(blob.byteCount, 1 << 20)))
        try await read(blob, from: 0) { part in
            bytes += part.bytes
            progress(part.fraction)
        }
        return bytes
    }
}
