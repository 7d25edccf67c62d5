// PageFuzz: what a page says to its server.

import NapkinWeb

enum PageFuzz {
    /// The bytes are a message, which reads the same each time or not at all.
    static func run(_ bytes: [UInt8]) {
        let text = String(decoding: bytes, as: UTF8.self)
        precondition(PageEvent(text) == PageEvent(text), "a message means two things")
    }
}
