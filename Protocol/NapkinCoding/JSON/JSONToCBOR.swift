// JSONToCBOR: one JSON text as CBOR.
//
// Spec       RFC 8949, section 6.2
//
// A number without '.', 'e' or 'E' that fits becomes an integer, and so does any whole number from
// 2^53 on, where doubles have gaps; any other number, and -0, becomes a double. Members keep their
// order. A name that occurs twice in one object is an error.

package enum JSONToCBOR {
    /// Returns the CBOR of a JSON text: one value, with blanks allowed around it.
    package static func transcode(
        _ text: [UInt8], limits: CBORLimits = .standard
    ) throws(JSONError) -> [UInt8] {
        var writer = CBORWriter(capacity: text.count)
        try text.withUnsafeBufferPointer { (text) throws(JSONError) in
            try transcode(UnsafeRawBufferPointer(text), into: &writer, limits: limits)
        }
        return writer.copyBytes()
    }

    /// Appends the CBOR of a JSON text to `writer`, which is unchanged after an error.
    package static func transcode(
        _ text: UnsafeRawBufferPointer, into writer: inout CBORWriter,
        limits: CBORLimits = .standard
    ) throws(JSONError) {
        let start = writer.count
        var scanner = JSONScanner(text, limits: limits)
        do {
            try scanner.transcode(into: &writer)
            try scanner.expectEnd()
        } catch {
            writer.truncate(to: start)
            throw error
        }
    }
}
