// JSONText: values of the protocol from JSON, as a peer could send them.

import NapkinCoding

/// Decodes through the coder that travels.
enum JSONText {
    static func decode<T: Decodable>(_ type: T.Type, _ text: String) throws -> T {
        try JSONToCBOR.transcode(Array(text.utf8)).withUnsafeBytes { bytes in
            var reader = CBORReader(bytes)
            return try reader.read(type)
        }
    }
}
