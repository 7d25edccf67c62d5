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
