// CBORDelta: the difference of two encoded values, as splices of bytes.
//
// Layer      sans-I/O core. Deltas come from a peer: applying one may not trap on any bytes.
// Isolation  value
// Invariant  applying the result of `encoded(from:to:)` to `from` gives `to`, byte for byte
// Spec       Protocol/SPEC.md, section 6 (Messages): stateDelta

/// The difference of two encodings.
///
/// Shape: an array [bytes of the previous value, then for each splice: bytes to keep, bytes to
/// leave out, a byte string to put there]. What follows the last splice is kept.
public enum CBORDelta {
    /// Returns the delta that turns `old` into `new`; `nil` unless it has fewer bytes than `new`
    /// itself.
    ///
    /// Compares the bytes alone, from both ends, and takes O(bytes): where many places differ, what
    /// is left after some of them counts as changed.
    public static func encoded(from old: [UInt8], to new: [UInt8]) -> [UInt8]? {
        let splices = old.withUnsafeBytes { old in
            new.withUnsafeBytes { new in
                var difference = ByteDifference(old, new)
                return difference.find()
            }
        }
        var writer = CBORWriter(capacity: 64 + splices.reduce(0) { $0 + $1.insert.count + 16 })
        writer.writeArrayHeader(1 + 3 * splices.count)
        writer.writeInt(Int64(old.count))
        for splice in splices {
            writer.writeInt(Int64(splice.keep))
            writer.writeInt(Int64(splice.drop))
            new[splice.insert].withUnsafeBytes { writer.writeBytes($0) }
        }
        return writer.count < new.count ? writer.copyBytes() : nil
    }

    /// Creates the new value from the value for which the delta was made.
    ///
    /// Throws `CBORError`: `custom` if the delta is for another value, or goes beyond it;
    /// `lengthExceeded` if the result would have more than `bytesMax` bytes.
    public static func apply(
        _ delta: UnsafeRawBufferPointer, to old: [UInt8], bytesMax: Int
    ) throws(CBORError) -> [UInt8] {
        var reader = CBORReader(delta)
        let count = try reader.readArrayHeader()
        guard count % 3 == 1 else { throw reader.failure(.custom, "a splice has three parts") }
        let previous = try reader.readInt()
        guard previous == old.count else {
            throw reader.failure(.custom, "for \(previous) bytes, the value has \(old.count)")
        }
        var new: [UInt8] = []
        new.reserveCapacity(min(old.count + delta.count, bytesMax))
        var position = 0
        for _ in 0..<(count / 3) {
            let keep = try reader.readInt()
            let drop = try reader.readInt()
            let left = old.count - position
            guard keep >= 0, drop >= 0, keep <= left, drop <= left - keep else {
                throw reader.failure(.custom, "a splice beyond the value's end")
            }
            new += old[position..<(position + keep)]
            new += try reader.readByteSpan()
            position += keep + drop
            guard new.count <= bytesMax else { throw tooLong(&reader, bytesMax) }
        }
        try reader.expectEnd()
        new += old[position...]
        guard new.count <= bytesMax else { throw tooLong(&reader, bytesMax) }
        return new
    }

    private static func tooLong(_ reader: inout CBORReader, _ bytesMax: Int) -> CBORError {
        reader.failure(.lengthExceeded, "the new value has more than \(bytesMax) bytes")
    }
}
