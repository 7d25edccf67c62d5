// JSONOutput: encodes values and payloads as JSON text with the coder of the wire.

import NapkinCoding
import NapkinCore
import NapkinTransport

enum JSONOutput {
    static func line(of value: some Encodable) throws(ClientFailure) -> PrintableText {
        PrintableText(json: try text(of: value))
    }

    static func text(of value: some Encodable) throws(ClientFailure) -> [UInt8] {
        do {
            let payload = try Payload { (writer) throws(CBORError) in try writer.write(value) }
            return try CBORToJSON.transcode(payload.bytes)
        } catch {
            throw .software("the answer cannot be shown as JSON: \(error)")
        }
    }

    /// Transcodes a payload to JSON; an empty payload is `null`.
    static func text(of payload: Payload) throws(CBORError) -> [UInt8] {
        guard !payload.bytes.isEmpty else { return Array("null".utf8) }
        return try CBORToJSON.transcode(payload.bytes)
    }
}

extension [UInt8] {
    /// Returns the encoded items of an array, or the keys and values of a map in turn; `nil` if it
    /// is of another type.
    func encodedItems(of type: CBORReader.ItemType) -> [[UInt8]]? {
        withUnsafeBytes { bytes in
            do throws(CBORError) {
                var reader = CBORReader(bytes)
                guard reader.peekType() == type else { return nil }
                let count = try type == .map ? 2 * reader.readMapHeader() : reader.readArrayHeader()
                var items: [[UInt8]] = []
                for _ in 0..<count { items.append(Self(try reader.rawItem())) }
                return items
            } catch {
                return nil
            }
        }
    }
}
