// SessionClient+Decoding: a worker's payloads, or the end of the connection.
//
// Layer      runtime.
// Isolation  @MainActor: the loop thread, or the host's main thread.
// Spec       Protocol/SPEC.md, section 10 (Errors)

import NapkinCoding
import NapkinCore

extension SessionClient {
    @_disfavoredOverload
    func decode<T>(
        _ type: T.Type, _ payload: UnsafeRawBufferPointer, _ body: (T) -> Void
    ) where T: Decodable {
        decode(payload, body) { (reader) throws(CBORError) in try reader.read(type) }
    }

    func decode<T: DirectlyCodable>(
        _ type: T.Type, _ payload: UnsafeRawBufferPointer, _ body: (T) -> Void
    ) {
        decode(payload, body) { (reader) throws(CBORError) in try reader.read(type) }
    }

    private func decode<T>(
        _ payload: UnsafeRawBufferPointer, _ body: (T) -> Void,
        _ read: (inout CBORReader) throws(CBORError) -> T
    ) {
        let value: T
        do {
            var reader = CBORReader(payload)
            value = try read(&reader)
            try reader.expectEnd()
        } catch {
            link.violate("an unreadable frame: \(error)")
            return
        }
        body(value)
    }
}
