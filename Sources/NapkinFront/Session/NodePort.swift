// NodePort: sends the events of one mounted node.
//
// Layer      front.
// Isolation  @MainActor.
// Ownership  held by the view's sender; holds the front weakly.

import NapkinCoding
import NapkinCore

/// The way from one view to its interactor.
@MainActor
final class NodePort: EventPort {
    private weak var front: Front?
    private let node: UInt32

    init(front: Front, node: UInt32) {
        self.front = front
        self.node = node
    }

    func call(
        _ method: MethodID, _ encode: PayloadEncoder
    ) async throws(RemoteFault) -> Payload {
        guard let front else { throw RemoteFault(.gone, "the front has been closed") }
        return try await front.send(to: node, method, encode)
    }

    func post(_ method: MethodID, _ encode: PayloadEncoder) async {
        do {
            _ = try await call(method, encode)
        } catch {
            front?.eventFailed(node, method, error)
        }
    }
}
