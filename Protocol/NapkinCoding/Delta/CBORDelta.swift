// CBORDelta: the difference of two encoded values, as splices of bytes.
//
// Invariant  applying the result of `encoded(from:to:)` to `from` gives `to`, byte for byte
// Spec       Protocol/SPEC.md, section 6 (Messages): stateDelta

/// The difference of two encodings.
///
/// Shape: an array [bytes of the previous value, then for each splice: bytes to keep, bytes to
/// omit, a byte string to insert]. All bytes after the last splice are kept.
package enum CBORDelta {
    /// Returns the delta that turns `old` into `new`; `nil` unless it has fewer bytes than `new`
    /// itself.
    ///
    /// Compares only the bytes, from both ends, and takes O(bytes): if bytes have moved in many
    /// places, those after some of these places are compared as if they had not moved.
    package static func encoded(from old: [UInt8], to new: [UInt8]) -> [UInt8]? {
        old.withUnsafeBytes { oldBytes in
            new.withUnsafeBytes { newBytes in
                let difference = ByteDifference(oldBytes, newBytes)
                guard difference.isShorter else { return nil }
                let heads = 2 * CBORWriter.headBytesMax
                var writer = CBORWriter(capacity: heads + difference.writer.count)
                writer.writeArrayHeader(1 + 3 * difference.splices)
                writer.writeInt(Int64(old.count))
                difference.writer.withUnsafeBytes { writer.append($0) }
                return writer.count < new.count ? writer.copyBytes() : nil
            }
        }
    }

    /// Creates the new value from the value for which the delta was made.
    ///
    /// Throws `CBORError`: `custom` if the delta is for another value, or goes beyond it;
    /// `lengthExceeded` if the result would have more than `bytesMax` bytes.
    package static func apply(
        _ delta: UnsafeRawBufferPointer, to old: [UInt8], bytesMax: Int
    ) throws(CBORError) -> [UInt8] {
        var reader = CBORReader(delta)
        let count = try reader.readArrayHeader()
        guard count % 3 == 1 else { throw reader.failure(.custom, "a splice has three parts") }
        let previous = try reader.readInt()
        guard previous == old.count else {
            throw reader.failure(.custom, "for \(previous) bytes, the value has \(old.count)")
        }
        var failure: CBORError?
        // Each byte of either is copied at most once.
        let room = min(old.count + delta.count, bytesMax)
        let new = [UInt8](unsafeUninitializedCapacity: room) { new, used in
            old.withUnsafeBytes { old in
                do throws(CBORError) {
                    let new = UnsafeMutableRawBufferPointer(start: new.baseAddress, count: room)
                    used = try splice(&reader, count / 3, old, into: new)
                } catch {
                    failure = error
                }
            }
        }
        if let failure { throw failure }
        return new
    }

    /// Assembles the new value and returns the number of its bytes.
    private static func splice(
        _ reader: inout CBORReader, _ splices: Int, _ old: UnsafeRawBufferPointer,
        into new: UnsafeMutableRawBufferPointer
    ) throws(CBORError) -> Int {
        var (position, used) = (0, 0)
        for _ in 0..<splices {
            let keep = try reader.readInt()
            let drop = try reader.readInt()
            let left = old.count - position
            guard keep >= 0, drop >= 0, keep <= left, drop <= left - keep else {
                throw reader.failure(.custom, "a splice beyond the value's end")
            }
            let insert = try reader.readByteSpan()
            guard keep + insert.count <= new.count - used else { throw tooLong(&reader, new.count) }
            copy(old, from: position, keep, to: new, used)
            copy(insert, from: 0, insert.count, to: new, used + keep)
            used += keep + insert.count
            position += keep + drop
        }
        try reader.expectEnd()
        let left = old.count - position
        guard left <= new.count - used else { throw tooLong(&reader, new.count) }
        copy(old, from: position, left, to: new, used)
        return used + left
    }

    @inline(__always)
    private static func copy(
        _ bytes: UnsafeRawBufferPointer, from start: Int, _ count: Int,
        to new: UnsafeMutableRawBufferPointer, _ place: Int
    ) {
        // Only an empty buffer may have no address.
        guard let source = bytes.baseAddress, let target = new.baseAddress else { return }
        (target + place).copyMemory(from: source + start, byteCount: count)
    }

    private static func tooLong(_ reader: inout CBORReader, _ bytesMax: Int) -> CBORError {
        reader.failure(.lengthExceeded, "the new value has more than \(bytesMax) bytes")
    }
}
