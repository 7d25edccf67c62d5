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
