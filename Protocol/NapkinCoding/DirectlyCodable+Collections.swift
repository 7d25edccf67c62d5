// DirectlyCodable collections: optionals, arrays, sets, dictionaries with text keys.
//
// Invariant  the memory that all collections of one payload reserve together is at most
//            CBORLimits.reserveFactor times the payload's bytes
//
// `[UInt8]` is a byte string, in direct coding and through Codable. It is also read from an array
// of integers and from base64 text, which the JSON transcoder makes of it in either direction.

extension Optional: DirectlyCodable where Wrapped: DirectlyCodable {
    @inlinable
    public func encode(into writer: inout CBORWriter) throws(CBORError) {
        if let value = self {
            try value.encode(into: &writer)
        } else {
            writer.writeNull()
        }
    }

    @inlinable
    public init(from reader: inout CBORReader) throws(CBORError) {
        self = reader.readNull() ? nil : try Wrapped(from: &reader)
    }
}

extension CBORReader {
    /// Returns how many elements of `T` to reserve for an array that declares `count`.
    ///
    /// All arrays share what the payload as a whole may reserve: otherwise nested arrays that
    /// declare more than they have would reserve as much at every level.
    @inlinable
    mutating func reservation<T>(_ count: Int, of type: T.Type) -> Int {
        let elements = min(count, reservable / MemoryLayout<T>.stride)
        reservable &-= elements &* MemoryLayout<T>.stride
        return elements
    }
}

extension CBORReader {
    /// The same for a hash table, which has room for up to three times its elements.
    @inlinable
    mutating func tableReservation<T>(_ count: Int, of type: T.Type) -> Int {
        reservation(3 * count, of: type) / 3
    }
}

extension Array: DirectlyCodable where Element: DirectlyCodable {
    @inlinable
    public func encode(into writer: inout CBORWriter) throws(CBORError) {
        if Element.self == UInt8.self {
            withUnsafeBytes { writer.writeBytes($0) }
            return
        }
        writer.writeArrayHeader(count)
        // Not `for element in self`, which retains each element once more (measured).
        let elements = span
        for index in elements.indices { try elements[index].encode(into: &writer) }
    }

    @inlinable
    public init(from reader: inout CBORReader) throws(CBORError) {
        if Element.self == UInt8.self, let bytes = try reader.readByteArray() {
            // SAFETY: Element is UInt8, by the condition above: both arrays are one type.
            self = unsafeBitCast(bytes, to: [Element].self)
            return
        }
        try reader.enter()
        let count = try reader.readArrayHeader()
        let reserved = reader.reservation(count, of: Element.self)
        // Literals are made at their size without a detour (measured).
        if count == 1 && reserved == 1 {
            self = [try Element(from: &reader)]
        } else if count == 2 && reserved == 2 {
            self = [try Element(from: &reader), try Element(from: &reader)]
        } else {
            // Not init(unsafeUninitializedCapacity:), which is slower here: it is not specialized
            // and looks the array's metadata up at run time (measured).
            var elements: [Element] = []
            elements.reserveCapacity(reserved)
            for _ in 0..<count { elements.append(try Element(from: &reader)) }
            self = elements
        }
        reader.leave()
    }
}

extension Set: DirectlyCodable where Element: DirectlyCodable {
    @inlinable
    public func encode(into writer: inout CBORWriter) throws(CBORError) {
        writer.writeArrayHeader(count)
        for element in self { try element.encode(into: &writer) }
    }

    /// An element that occurs twice counts once, as in the standard library's Codable.
    @inlinable
    public init(from reader: inout CBORReader) throws(CBORError) {
        try reader.enter()
        let count = try reader.readArrayHeader()
        var elements = Set<Element>(
            minimumCapacity: reader.tableReservation(count, of: Element.self))
        for _ in 0..<count { elements.insert(try Element(from: &reader)) }
        reader.leave()
        self = elements
    }
}

extension Dictionary: DirectlyCodable where Key == String, Value: DirectlyCodable {
    /// Writes the pairs in the dictionary's order, which differs from process to process.
    @inlinable
    public func encode(into writer: inout CBORWriter) throws(CBORError) {
        writer.writeMapHeader(count)
        for (key, value) in self {
            writer.writeString(key)
            try value.encode(into: &writer)
        }
    }

    @inlinable
    public init(from reader: inout CBORReader) throws(CBORError) {
        try reader.enter()
        let count = try reader.readMapHeader()
        var pairs = [String: Value](
            minimumCapacity: reader.tableReservation(count, of: (key: Key, value: Value).self))
        for _ in 0..<count {
            let key = try reader.readString()
            let value = try Value(from: &reader)
            guard pairs.updateValue(value, forKey: key) == nil else {
                throw reader.duplicateEntry()
            }
        }
        reader.leave()
        self = pairs
    }
}
