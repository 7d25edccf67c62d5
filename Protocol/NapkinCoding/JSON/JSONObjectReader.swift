// JSONObjectReader: the members of one JSON object, by name.
//
// Ownership  keeps a copy of the text and of each value's CBOR

/// Reads one JSON object, such as a line of the control mode, and returns its members.
///
/// The initializer checks the whole text: a request for a member fails only if the member is
/// missing (nil) or has another type (`wrongMember`, with its place).
package struct JSONObjectReader: Sendable {
    /// One member of the object: its name, and the place of its value.
    package struct Member: Sendable, Equatable {
        package let name: String
        /// The place of the value's text, in bytes, without blanks around it.
        package let range: Range<Int>
        /// The value as CBOR.
        package let cbor: [UInt8]

        /// Returns the value; nil if it is not of this type.
        package func value<T: DirectlyCodable>(_ type: T.Type) -> T? {
            cbor.withUnsafeBytes { bytes in
                var reader = CBORReader(bytes)
                // Any error means that the member has the wrong type.
                return try? reader.read(type)
            }
        }
    }

    /// The members, in the order of the text.
    package let members: [Member]
    private let text: [UInt8]

    package init(_ text: [UInt8], limits: CBORLimits = .standard) throws(JSONError) {
        var members: [Member] = []
        try text.withUnsafeBufferPointer { (bytes) throws(JSONError) in
            try Self.read(UnsafeRawBufferPointer(bytes), limits, into: &members)
        }
        self.members = members
        self.text = text
    }

    /// Reads the beginning of an object: the members that end within it.
    package init(beginning text: [UInt8], limits: CBORLimits = .standard) {
        var members: [Member] = []
        text.withUnsafeBytes { bytes in
            // Expected to fail, since the object's end is missing.
            try? Self.read(bytes, limits, into: &members)
        }
        // A number that reaches the end of the text may continue after it.
        self.members = members.filter { $0.range.upperBound < text.count }
        self.text = text
    }

    private static func read(
        _ text: UnsafeRawBufferPointer, _ limits: CBORLimits, into members: inout [Member]
    ) throws(JSONError) {
        var scanner = JSONScanner(text, limits: limits)
        scanner.skipBlanks()
        guard scanner.position < text.count, text[scanner.position] == UInt8(ascii: "{") else {
            throw scanner.failure(.unexpected, "wanted an object")
        }
        var writer = CBORWriter()
        _ = try scanner.members { (scanner, name) throws(JSONError) in
            scanner.skipBlanks()
            let start = scanner.position
            writer.removeAll()
            try scanner.transcode(into: &writer)
            members.append(
                Member(name: name, range: start..<scanner.position, cbor: writer.copyBytes()))
        }
        try scanner.expectEnd()
    }

    package func member(_ name: String) -> Member? {
        members.first { $0.name.utf8.elementsEqual(name.utf8) }
    }

    /// Returns the text of a member's value, as it was written.
    package func raw(_ name: String) -> [UInt8]? { member(name).map { Array(text[$0.range]) } }

    package func cbor(_ name: String) -> [UInt8]? { member(name)?.cbor }

    /// Returns a string; nil if there is no such member or it is null.
    package func string(_ name: String) throws(JSONError) -> String? {
        try value(name, "a string", String.self)
    }

    /// Returns an integer; nil if there is no such member or it is null.
    package func int(_ name: String) throws(JSONError) -> Int? {
        try value(name, "an integer", Int.self)
    }

    /// Returns a boolean; nil if there is no such member or it is null.
    package func bool(_ name: String) throws(JSONError) -> Bool? {
        try value(name, "a boolean", Bool.self)
    }

    private func value<T: DirectlyCodable>(
        _ name: String, _ wanted: StaticString, _ type: T.Type
    ) throws(JSONError) -> T? {
        guard let member = member(name) else { return nil }
        guard let value = member.value(T?.self) else {
            throw JSONError(.wrongMember, at: member.range.lowerBound, "\(name) is not \(wanted)")
        }
        return value
    }
}
