// NodePort: sends the events of one mounted node.
//
// Layer      front.
// Isolation  @MainActor.
// Ownership  held by the view's sender and by the node; holds the front until it is closed, which
//            happens when the node leaves the tree, at the latest with the front's end.

import NapkinCoding
import NapkinCore

/// The way from one view to its interactor.
@MainActor
final class NodePort: EventPort {
    @exclusivity(unchecked) private var front: Front?
    private let node: UInt32

    init(front: Front, node: UInt32) {
        self.front = front
        self.node = node
    }

    /// What is sent from now on is refused as `.gone`.
    func close() { front = nil }

    func call(
        _ method: MethodID, _ encode: PayloadEncoder
    ) async throws(RemoteFault) -> Payload {
        guard let front else { throw RemoteFault(.gone, "node \(node) is not shown any more") }
        return try await front.send(to: node, method, encode)
    }

    func post(_ method: MethodID, _ encode: PayloadEncoder) async {
        let front = self.front
        do {
            _ = try await call(method, encode)
        } catch {
            front?.eventFailed(node, method, error)
        }
    }
}
