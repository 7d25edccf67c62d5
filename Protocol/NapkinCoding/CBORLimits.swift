// CBORLimits: how much one payload may ask of its reader.
//
// Layer      sans-I/O core.
// Isolation  value
// Invariant  a reader never allocates more than `reserveFactor` times the bytes of the payload
//            before it has read what it allocates for.

/// What a reader refuses. Every number was chosen, not measured.
public struct CBORLimits: Equatable, Sendable {
    /// Arrays, maps and tags inside one another. Bounds the recursion of decoding, hence the
    /// stack: 64 levels of a generated decoder take less than 64 KiB.
    public var depthMax: Int
    /// Key-value pairs of one map. Bounds the index that out-of-order lookup builds.
    public var mapEntriesMax: Int
    /// Elements of one array.
    public var arrayElementsMax: Int
    /// Bytes of one text or byte string.
    public var stringBytesMax: Int

    /// Unknown keys of one map whose repetition the direct door notices. Each costs a scan of
    /// the map, so the number is small. The Codable door tracks all keys.
    public static let unknownKeysTracked = 16

    /// Bytes reserved ahead for the elements of all arrays of a payload, for each of its bytes.
    public static let reserveFactor = 16

    /// 64 levels, 65,536 pairs, 1,048,576 elements, 16 MiB in one string.
    public static let standard = CBORLimits()

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
