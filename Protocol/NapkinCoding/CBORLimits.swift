// CBORLimits: limits on the resources that reading one payload may use.
//
// Invariant  before it has read the elements for which it allocates, a reader never allocates more
//            than `reserveFactor` times the bytes of the payload.

/// The limits above which a reader refuses. Every number was chosen, not measured.
public struct CBORLimits: Equatable, Sendable {
    /// Levels of nested arrays, maps and tags. They bound the recursion of decoding, and with it
    /// the stack: 64 levels of a generated decoder take less than 64 KiB.
    @usableFromInline package var depthMax: Int
    /// Key-value pairs of one map. They bound the index that out-of-order lookup builds.
    @usableFromInline package var mapEntriesMax: Int
    /// Elements of one array.
    @usableFromInline package var arrayElementsMax: Int
    /// Bytes of one text or byte string.
    @usableFromInline package var stringBytesMax: Int

    /// Unknown keys of one map that direct decoding checks for repetition. Each costs a scan of the
    /// map, so the number is small. Decoding through Codable tracks all keys.
    @usableFromInline package static let unknownKeysTracked = 16

    /// Bytes that may be reserved for the elements of all collections, per byte of the payload.
    @usableFromInline package static let reserveFactor = 16

    /// The standard limits: 64 levels, 65,536 pairs, 1,048,576 elements, 16 MiB in one string.
    @usableFromInline package static let standard = CBORLimits()

    @inlinable
    public init(
        depthMax: Int = 64, mapEntriesMax: Int = 65_536, arrayElementsMax: Int = 1_048_576,
        stringBytesMax: Int = 16_777_216
    ) {
        self.depthMax = depthMax
        self.mapEntriesMax = mapEntriesMax
        self.arrayElementsMax = arrayElementsMax
        self.stringBytesMax = stringBytesMax
    }
}
