// PayloadReading: a payload of a fixed, small shape, or nothing.
//
// Layer      sans-I/O core.
// Isolation  value.

import NapkinCoding

extension UnsafeRawBufferPointer {
    /// The value that fills these bytes; `nil` when they are something else.
    package func decoded<T: Decodable>(_ type: T.Type = T.self) -> T? {
        do {
            var reader = CBORReader(self)
            let value = try reader.read(type)
            try reader.expectEnd()
            return value
        } catch {
            // An unreadable frame is refused like one that is not due, whatever is wrong with it.
            return nil
        }
    }
}
