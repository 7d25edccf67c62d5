// ItemFuzz: every reader of CBOR on any bytes.
//
// Spec       Protocol/SPEC.md, section 6 (Messages)

import NapkinCoding

enum ItemFuzz {
    static func run(_ bytes: [UInt8]) {
        let isItem = skips(bytes)
        _ = CBORDiagnostic.describe(bytes)
        transcode(bytes)
        let typed = [
            decode(FuzzOrder.self, bytes), decode(FuzzMove.self, bytes),
            decode([FuzzMove].self, bytes), decode(FuzzStage?.self, bytes),
            decode([String: [UInt8]].self, bytes), decode([Float].self, bytes),
            decode(UInt64.self, bytes), decode(Bool.self, bytes),
            decodeContainers(FuzzBox.self, bytes), decodeContainers([String: FuzzBox].self, bytes),
            decodeContainers([FuzzBox.Shape].self, bytes),
        ]
        precondition(isItem || !typed.contains(true), "a value is read from what is no item")
    }

    private static func reading<T>(
        _ bytes: [UInt8], _ body: (inout CBORReader) throws(CBORError) -> T
    ) throws(CBORError) -> T {
        try bytes.withUnsafeBufferPointer { (buffer) throws(CBORError) in
            var reader = CBORReader(UnsafeRawBufferPointer(buffer))
            let value = try body(&reader)
            try reader.expectEnd()
            return value
        }
    }

    private static func skips(_ bytes: [UInt8]) -> Bool {
        do throws(CBORError) {
            try reading(bytes) { (reader) throws(CBORError) in try reader.skip() }
            return true
        } catch {
            precondition((-1...bytes.count).contains(error.offset), "an error out of place")
            return false
        }
    }

    /// What becomes JSON can be made CBOR again; once a number that JSON cannot hold exactly has
    /// been rounded, nothing changes any more.
    private static func transcode(_ bytes: [UInt8]) {
        do {
            let first = try CBORToJSON.transcode(bytes)
            let text = try CBORToJSON.transcode(try JSONToCBOR.transcode(first))
            let again = try CBORToJSON.transcode(try JSONToCBOR.transcode(text))
            precondition(again == text, "JSON changes on its way through CBOR")
        } catch {
            // Not every item is JSON, and not every input an item.
        }
    }

    /// Through the direct door: `read` and `write` are those of messages.
    private static func decode<T: Message & Equatable>(_ type: T.Type, _ bytes: [UInt8]) -> Bool {
        isKept(bytes) { (reader) throws(CBORError) in
            try reader.read(type)
        } write: { (writer, value) throws(CBORError) in
            try writer.write(value)
        }
    }

    /// Through the containers' door: the same calls, of any `Codable`.
    private static func decodeContainers<T: Codable & Equatable>(
        _ type: T.Type, _ bytes: [UInt8]
    ) -> Bool {
        isKept(bytes) { (reader) throws(CBORError) in
            try reader.read(type)
        } write: { (writer, value) throws(CBORError) in
            try writer.write(value)
        }
    }

    /// Whether the bytes are a `T`: then writing it and reading that gives the same value.
    private static func isKept<T: Encodable & Equatable>(
        _ bytes: [UInt8], read: (inout CBORReader) throws(CBORError) -> T,
        write: (inout CBORWriter, T) throws(CBORError) -> Void
    ) -> Bool {
        do throws(CBORError) {
            let value = try reading(bytes, read)
            var writer = CBORWriter()
            try write(&writer, value)
            let again = try reading(writer.copyBytes(), read)
            precondition(again == value || isWrittenAlike(again, value), "a value changes")
            return true
        } catch {
            return false
        }
    }

    /// For values that are not equal to themselves: those with a NaN in them. (Dictionaries and
    /// sets are written in any order, hence the length.)
    private static func isWrittenAlike<T: Encodable>(_ one: T, _ other: T) -> Bool {
        func length(_ value: T) -> Int? {
            var writer = CBORWriter()
            do throws(CBORError) {
                try writer.write(value)
                return writer.count
            } catch {
                return nil
            }
        }
        return length(one) == length(other)
    }
}
