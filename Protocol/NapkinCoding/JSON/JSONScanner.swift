// JSONScanner: a cursor over JSON text that transcodes it to CBOR.
//
// Ownership  borrows its text; valid only while the caller's buffer is
// Invariant  0 <= position <= text.count
// Spec       RFC 8259

struct JSONScanner {
    let text: UnsafeRawBufferPointer
    let limits: CBORLimits
    private(set) var position = 0
    private var depth = 0

    init(_ text: UnsafeRawBufferPointer, limits: CBORLimits) {
        self.text = text
        self.limits = limits
        // Some editors and tools begin a text with a byte order mark. RFC 8259, section 8.1.
        if text.starts(with: [0xef, 0xbb, 0xbf]) { position = 3 }
    }

    // MARK: Characters

    func failure(_ code: JSONError.Code, _ detail: String) -> JSONError {
        JSONError(code, at: position, detail)
    }

    private var next: UInt8? { position < text.count ? text[position] : nil }

    mutating func skipBlanks() {
        while let byte = next, byte == 0x20 || byte == 0x0a || byte == 0x0d || byte == 0x09 {
            position += 1
        }
    }

    /// Consumes one character if it comes next, and the blanks before it.
    mutating func take(_ character: UInt8) -> Bool {
        skipBlanks()
        guard next == character else { return false }
        position += 1
        return true
    }

    mutating func expect(_ character: UInt8) throws(JSONError) {
        guard !take(character) else { return }
        let wanted = Character(Unicode.Scalar(character))
        guard next != nil else { throw failure(.truncated, "the text ends before '\(wanted)'") }
        throw failure(.unexpected, "wanted '\(wanted)'")
    }

    /// Consumes the end of a list; before any other character, a comma is missing.
    private mutating func expectEnd(_ character: UInt8) throws(JSONError) {
        skipBlanks()
        guard let byte = next, byte != character else { return try expect(character) }
        let end = Character(Unicode.Scalar(character))
        throw failure(.unexpected, "a comma is missing, or '\(end)'")
    }

    mutating func expectEnd() throws(JSONError) {
        skipBlanks()
        guard position == text.count else { throw failure(.trailingText, "text after the value") }
    }

    // MARK: Values

    /// Reads one value and writes it as CBOR. `limits.depthMax` bounds the recursion.
    mutating func transcode(into writer: inout CBORWriter) throws(JSONError) {
        skipBlanks()
        guard let first = next else { throw failure(.truncated, "the text ends before a value") }
        switch first {
        case UInt8(ascii: "{"): try object(into: &writer)
        case UInt8(ascii: "["): try array(into: &writer)
        case UInt8(ascii: "\""): writer.writeString(try string())
        case UInt8(ascii: "t"):
            try word("true")
            writer.writeBool(true)
        case UInt8(ascii: "f"):
            try word("false")
            writer.writeBool(false)
        case UInt8(ascii: "n"):
            try word("null")
            writer.writeNull()
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): try number(into: &writer)
        default: throw failure(.unexpected, "no value starts like this")
        }
    }

    private mutating func word(_ word: StaticString) throws(JSONError) {
        let count = word.utf8CodeUnitCount
        let rest = UnsafeRawBufferPointer(rebasing: text[position...].prefix(count))
        let wanted = UnsafeRawBufferPointer(start: word.utf8Start, count: count)
        guard CBORText(utf8: rest) == CBORText(utf8: wanted) else {
            throw failure(.unexpected, "wanted \(word)")
        }
        position += count
    }

    private mutating func enter() throws(JSONError) {
        guard depth < limits.depthMax else {
            throw failure(.limitExceeded, "more than \(limits.depthMax) levels of nesting")
        }
        depth += 1
        position += 1
    }

    private mutating func array(into writer: inout CBORWriter) throws(JSONError) {
        try enter()
        let head = writer.count
        var count = 0
        writer.writeArrayHeader(0)
        if !take(UInt8(ascii: "]")) {
            repeat {
                guard count < limits.arrayElementsMax else {
                    throw failure(.limitExceeded, "an array of too many elements")
                }
                try transcode(into: &writer)
                count += 1
            } while take(UInt8(ascii: ","))
            try expectEnd(UInt8(ascii: "]"))
        }
        writer.patchHead(0x80, count, at: head)
        depth -= 1
    }

    private mutating func object(into writer: inout CBORWriter) throws(JSONError) {
        let head = writer.count
        writer.writeMapHeader(0)
        let count = try members { (scanner, name) throws(JSONError) in
            writer.writeString(name)
            try scanner.transcode(into: &writer)
        }
        writer.patchHead(0xa0, count, at: head)
    }

    /// Reads an object: `body` reads each value. Returns the number of members.
    mutating func members(
        _ body: (inout JSONScanner, String) throws(JSONError) -> Void
    ) throws(JSONError) -> Int {
        try enter()
        // By their bytes: Swift calls some names equal that are not.
        var names: Set<[UInt8]> = []
        if !take(UInt8(ascii: "}")) {
            repeat {
                skipBlanks()
                let start = position
                let name = try string()
                guard names.insert(Array(name.utf8)).inserted else {
                    throw JSONError(.duplicateName, at: start, "a name twice in one object")
                }
                guard names.count <= limits.mapEntriesMax else {
                    throw failure(.limitExceeded, "an object of too many members")
                }
                try expect(UInt8(ascii: ":"))
                try body(&self, name)
            } while take(UInt8(ascii: ","))
            try expectEnd(UInt8(ascii: "}"))
        }
        depth -= 1
        return names.count
    }

    // MARK: Strings

    mutating func string() throws(JSONError) -> String {
        let start = position
        try expect(UInt8(ascii: "\""))
        var utf8: [UInt8] = []
        while let byte = next, byte != UInt8(ascii: "\"") {
            guard byte >= 0x20 else {
                throw failure(.invalidString, "a control character in a string")
            }
            position += 1
            if byte == UInt8(ascii: "\\") {
                try escape(into: &utf8)
            } else {
                utf8.append(byte)
            }
        }
        guard next != nil else { throw failure(.truncated, "the text ends inside a string") }
        guard utf8.count <= limits.stringBytesMax else {
            throw failure(.limitExceeded, "a string of too many bytes")
        }
        position += 1
        guard let value = utf8.withUnsafeBytes({ CBORText(utf8: $0).string }) else {
            throw JSONError(.invalidString, at: start, "a string that is not UTF-8")
        }
        return value
    }

    private mutating func escape(into utf8: inout [UInt8]) throws(JSONError) {
        guard let byte = next else { throw failure(.truncated, "the text ends inside a string") }
        position += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): utf8.append(byte)
        case UInt8(ascii: "b"): utf8.append(0x08)
        case UInt8(ascii: "f"): utf8.append(0x0c)
        case UInt8(ascii: "n"): utf8.append(0x0a)
        case UInt8(ascii: "r"): utf8.append(0x0d)
        case UInt8(ascii: "t"): utf8.append(0x09)
        case UInt8(ascii: "u"): utf8 += String(Character(try escapedScalar())).utf8
        default:
            position -= 1
            throw failure(.invalidString, "an escape that means nothing")
        }
    }

    /// Reads four digits, or two groups of four if they are a surrogate pair.
    private mutating func escapedScalar() throws(JSONError) -> Unicode.Scalar {
        let start = position
        let unit = try fourDigits()
        if let scalar = Unicode.Scalar(unit) { return scalar }
        let isPair =
            unit < 0xdc00 && next == UInt8(ascii: "\\")
            && position + 1 < text.count && text[position + 1] == UInt8(ascii: "u")
        if isPair {
            position += 2
            let low = try fourDigits()
            if low >= 0xdc00, low < 0xe000,
                let scalar = Unicode.Scalar(0x10000 + (unit - 0xd800) << 10 + (low - 0xdc00))
            {
                return scalar
            }
        }
        throw JSONError(.invalidString, at: start, "half of a surrogate pair")
    }

    private mutating func fourDigits() throws(JSONError) -> UInt32 {
        var value: UInt32 = 0
        for _ in 0..<4 {
            guard let byte = next else {
                throw failure(.truncated, "the text ends inside an escape")
            }
            guard let digit = Character(Unicode.Scalar(byte)).hexDigitValue else {
                throw failure(.invalidString, "wanted four hexadecimal digits")
            }
            value = value << 4 | UInt32(digit)
            position += 1
        }
        return value
    }
}

// MARK: Numbers

extension JSONScanner {
    /// An integer that fits 64 bits (negative: CBOR's 64 bits) stays an integer, as does a whole
    /// number in another form that a double might not represent; any other becomes a double.
    private mutating func number(into writer: inout CBORWriter) throws(JSONError) {
        let start = position
        let isInteger = try numberText()
        let bytes = UnsafeRawBufferPointer(rebasing: text[start..<position])
        let digits = String(decoding: bytes, as: UTF8.self)
        guard let value = Double(digits), value.isFinite else {
            throw JSONError(.invalidNumber, at: start, "a number beyond every type")
        }
        // CBOR's least integer, whose magnitude is 0 in 64 bits.
        let isLeast = digits == "-18446744073709551616"
        guard isInteger && digits != "-0" || value.magnitude >= 0x1p53,
            let magnitude = isLeast ? 0 : Self.wholeMagnitude(of: bytes)
        else { return writer.writeDouble(value) }
        if value < 0 {
            writer.writeHead(0x20, magnitude &- 1)
        } else {
            writer.writeUInt(magnitude)
        }
    }

    /// Returns a number without its sign, if it is whole and fits 64 bits.
    private static func wholeMagnitude(of number: UnsafeRawBufferPointer) -> UInt64? {
        let parts = number.split { $0 | 0x20 == UInt8(ascii: "e") }
        let mantissa = parts[0].drop { $0 == UInt8(ascii: "-") }
        let fraction = mantissa.drop { $0 != UInt8(ascii: ".") }.dropFirst()
        let exponent = parts.count > 1 ? Int(String(decoding: parts[1], as: UTF8.self)) : 0
        guard var zeros = exponent else { return nil }
        var digits = mantissa.filter { $0 != UInt8(ascii: ".") }
        zeros -= fraction.count
        // At once, since a peer may send a million of them.
        let trailing = digits.dropFirst().reversed().prefix { $0 == UInt8(ascii: "0") }.count
        let dropped = min(trailing, max(0, 0 &- zeros))
        digits.removeLast(dropped)
        zeros += dropped
        guard (0...19).contains(zeros) else { return nil }
        let zero = [UInt8](repeating: UInt8(ascii: "0"), count: zeros)
        return UInt64(String(decoding: digits + zero, as: UTF8.self))
    }

    /// Skips a number; returns true if it has neither fraction nor exponent.
    private mutating func numberText() throws(JSONError) -> Bool {
        if next == UInt8(ascii: "-") { position += 1 }
        if next == UInt8(ascii: "0") {
            position += 1
        } else {
            try someDigits()
        }
        var isInteger = true
        if next == UInt8(ascii: ".") {
            isInteger = false
            position += 1
            try someDigits()
        }
        if let byte = next, byte | 0x20 == UInt8(ascii: "e") {
            isInteger = false
            position += 1
            if next == UInt8(ascii: "+") || next == UInt8(ascii: "-") { position += 1 }
            try someDigits()
        }
        return isInteger
    }

    private mutating func someDigits() throws(JSONError) {
        let start = position
        while let byte = next, byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") {
            position += 1
        }
        guard position > start else {
            throw failure(next == nil ? .truncated : .invalidNumber, "wanted a digit")
        }
    }
}

/// The reason why a JSON text was refused, and where.
package struct JSONError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The kind of error in the text.
    package enum Code: Sendable {
        /// The text ends inside a value.
        case truncated
        /// A character is not allowed at its place.
        case unexpected
        /// A string is not UTF-8, or has an unknown escape.
        case invalidString
        /// A number has a form that JSON does not allow, or is beyond every type.
        case invalidNumber
        /// The text has more nesting, entries or bytes than `CBORLimits` allows.
        case limitExceeded
        /// One name occurs twice in one object.
        case duplicateName
        /// Text follows the value.
        case trailingText
        /// A member is missing, or has another type than the one requested.
        case wrongMember
    }

    package var code: Code
    /// Bytes from the start of the text.
    package var offset: Int
    /// A sentence that says what happened, and to what.
    package var detail: String

    package init(_ code: Code, at offset: Int, _ detail: String) {
        self.code = code
        self.offset = offset
        self.detail = detail
    }

    package var description: String { "JSON \(code) at byte \(offset): \(detail)" }
}
