// BlobSource: holds a blob's bytes in a worker, and answers fronts that read them.
//
// Isolation  any thread (Mutex). Parts are read away from the main actor, so that a slow disk does
//            not stop the loop.
// Ownership  owned by whoever offers the blob; the process's table keeps the offer.
// Invariant  a blob can be read exactly as long as its source lives.
// Spec       Protocol/SPEC.md, section 6 (Messages): event

import Synchronization

/// Offers a blob to fronts, for as long as this object lives.
///
/// ```swift
/// let source = BlobSource(bytes)
/// await presenter.present(picture: source.blob)
/// ```
///
/// To withdraw a blob, release its source; a front that is still reading gets `.gone`.
public final class BlobSource: Sendable {
    private static let offers = Mutex<[UInt64: BlobOffer]>([:])

    public let blob: Blob

    /// Offers the bytes that `read` returns.
    ///
    /// - Parameters:
    ///   - byteCount: the blob's size, which does not change.
    ///   - read: returns exactly the bytes of a range within `byteCount`, at most 64 KiB of them.
    ///     It is called once for each part that a front reads, possibly concurrently; an error that
    ///     it throws fails the front's call.
    public init(
        byteCount: UInt64, read: @escaping @Sendable (Range<UInt64>) async throws -> [UInt8]
    ) {
        blob = Self.offers.withLock { offers in
            var id: UInt64
            repeat { id = UInt64.random(in: 1..<1 << 53) } while offers[id] != nil
            let blob = Blob(id: id, byteCount: byteCount)
            offers[id] = BlobOffer(blob: blob, read: read)
            return blob
        }
    }

    /// Offers bytes that are in memory.
    public convenience init(_ bytes: [UInt8]) {
        self.init(byteCount: UInt64(bytes.count)) { range in
            Array(bytes[Int(range.lowerBound)..<Int(range.upperBound)])
        }
    }

    deinit {
        // Releases the closure's captures after the lock: one of them may be another source.
        _ = Self.offers.withLock { $0.removeValue(forKey: blob.id) }
    }

    fileprivate static func offer(of id: UInt64) -> BlobOffer? { offers.withLock { $0[id] } }
}

/// The offer of a source. Reads under way keep the offer, not the source.
private struct BlobOffer: Sendable {
    let blob: Blob
    let read: @Sendable (Range<UInt64>) async throws -> [UInt8]

    @concurrent
    func bytes(in range: Range<UInt64>) async throws -> [UInt8] {
        let bytes = try await read(range)
        guard bytes.count == range.count else {
            throw RemoteFault(
                .failed, "a blob's source gave \(bytes.count) bytes instead of \(range.count)")
        }
        return bytes
    }
}

extension FeatureNode {
    /// Answers a front's request for one part with a byte string.
    @inline(never)
    func receiveBlobReading(_ payload: UnsafeRawBufferPointer, _ call: IncomingCall) {
        do throws(CBORError) {
            var reader = CBORReader(payload)
            guard try reader.readArrayHeader() == 2 else {
                throw CBORError(.typeMismatch, "a blob is read with two arguments")
            }
            let id = try reader.read(UInt64.self)
            let offset = try reader.read(UInt64.self)
            try reader.expectEnd()
            guard let offer = BlobSource.offer(of: id) else {
                return call.fail(RemoteFault(.gone, "the blob is not offered any more"))
            }
            guard let range = offer.blob.part(from: offset) else {
                throw CBORError(
                    .outOfRange, "it has \(offer.blob.byteCount) bytes, and none at \(offset)")
            }
            call.start { call in
                do {
                    let bytes = try await offer.bytes(in: range)
                    call.succeed { $0.writeBytes(bytes) }
                } catch {
                    call.fail(error)
                }
            }
        } catch {
            call.fail(RemoteFault(.unimplemented, "a blob cannot be read this way: \(error)"))
        }
    }
}
