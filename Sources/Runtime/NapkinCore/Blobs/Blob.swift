// Blob: a value that may be larger than a frame, as contracts name it, and a part of one.
//
// Spec       Protocol/SPEC.md, section 6 (Messages): event

/// A value of any size that stays where it is: a message carries its name, and a front that wants
/// the value reads it in parts.
///
/// A worker makes one with a ``BlobSource``, and gives it to fronts in a state, a log, an effect,
/// a result or arguments.
@Message
public struct Blob: Hashable, Sendable {
    /// Chosen at random, 1 to 2^53 - 1: who was not given the blob does not know it.
    public let id: UInt64
    public let byteCount: UInt64

    /// Where the part that begins at `offset` ends; `nil` if the blob ends before that.
    func part(from offset: UInt64) -> Range<UInt64>? {
        guard offset <= byteCount else { return nil }
        return offset..<offset + min(UInt64(Limits.blobPartBytes), byteCount - offset)
    }
}

/// Consecutive bytes of a blob, and so how much of it has been read.
public struct BlobPart: Sendable {
    public let blob: Blob
    /// Where the bytes begin.
    public let offset: UInt64
    public let bytes: [UInt8]

    /// Where the next part begins; reading can go on from there after a failure.
    public var end: UInt64 { offset + UInt64(bytes.count) }
    /// How much of the blob lies before `end`, 0 to 1.
    public var fraction: Double { Double(end) / Double(blob.byteCount) }
}
