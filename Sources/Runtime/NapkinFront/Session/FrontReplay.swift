// FrontReplay: resends an event that a receipt has kept.

import NapkinCoding
import NapkinCore
package import NapkinProtocol

extension Front {
    /// Sends the event to the node with its number, or else to one of the same feature; returns
    /// when it has been answered.
    ///
    /// Errors: `.gone` if the feature is not mounted, and any error of the handler.
    package func replay(_ event: FlightInput) async throws(RemoteFault) {
        let nodes = tree.nodesInOrder.filter {
            MethodID(key: $0.feature.rawValue).rawValue == event.feature
        }
        guard let node = nodes.first(where: { $0.id == event.node }) ?? nodes.first else {
            throw RemoteFault(.gone, "the feature of event \(event.sequence) is not mounted")
        }
        _ = try await send(to: node.id, MethodID(rawValue: event.method)) {
            (writer) throws(CBORError) in
            writer.append(event.arguments ?? [])
        }
    }
}
