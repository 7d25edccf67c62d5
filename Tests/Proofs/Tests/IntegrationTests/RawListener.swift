// RawListener: something that listens at a path and is no napkind.

import Foundation
import ProofSupport

/// A listening Unix socket; each connection is served on a thread of its own.
final class RawListener: Sendable {
    private let descriptor: Int32

    /// Listens when it returns.
    init(_ path: String, serve: @escaping @Sendable (RawPeer) throws -> Void) throws {
        let descriptor = try RawPeer.listen(at: path)
        self.descriptor = descriptor
        Thread.detachNewThread {
            // The number is this thread's until it has ended: another listener's may be the same.
            defer { close(descriptor) }
            while true {
                guard let connection = RawPeer.accept(from: descriptor) else { return }
                Thread.detachNewThread {
                    // What the client thinks of it is what the test looks at.
                    try? serve(RawPeer(descriptor: connection))
                }
            }
        }
    }

    /// Ends the thread that accepts.
    deinit { shutdown(descriptor, Int32(SHUT_RDWR)) }
}
