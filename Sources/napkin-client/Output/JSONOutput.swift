// JSONOutput: values and payloads as JSON text, through the same coder that travels.
//
// Layer      executable, output.
// Isolation  none of its own.

import NapkinCoding
import NapkinCore

/// Makes JSON text.
enum JSONOutput {
    /// A value as JSON, on one line.
    static func text(of value: some Encodable) throws(ClientFailure) -> String {
        do {
            let payload = try Payload { (writer) throws(CBORError) in try writer.write(value) }
            return String(decoding: try CBORToJSON.transcode(payload.bytes), as: UTF8.self)
        } catch {
            throw ClientFailure(ExitTable.software, "the answer cannot be shown as JSON: \(error)")
        }
    }

    /// A payload as JSON: `null` when there is no value.
    static func text(of payload: Payload) throws(CBORError) -> [UInt8] {
        guard !payload.bytes.isEmpty else { return Array("null".utf8) }
        return try CBORToJSON.transcode(payload.bytes)
    }
}
