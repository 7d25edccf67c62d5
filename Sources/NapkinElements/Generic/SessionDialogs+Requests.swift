// SessionDialogs+Requests: what a screen asks of its session, and what a person is told of the
// outcome.

internal import NapkinCoding
package import NapkinCore
package import NapkinFront
internal import NapkinTransport

extension SessionDialogs {
    /// Sends an event of a form or of a page, and does with its form what the outcome asks for.
    package func send(_ payload: Payload, as method: MethodID, to node: UInt32, of front: Front) {
        request { [self] () throws(RemoteFault) in
            do throws(RemoteFault) {
                _ = try await front.send(to: node, method) { (writer) throws(CBORError) in
                    writer.append(payload.bytes)
                }
                eventEnded(method, of: node)
            } catch {
                // Nobody knows whether an event of unknown outcome must be sent again.
                if error.code == .unknown {
                    eventEnded(method, of: node)
                } else {
                    eventFailed(method, of: node)
                }
                throw error
            }
        }
    }

    /// Selects one of a node's tabs.
    package func select(_ tab: String, of node: FrontNode, in front: Front) {
        request { () throws(RemoteFault) in try await front.select(tab: tab, of: node) }
    }

    private func request(_ body: @escaping () async throws(RemoteFault) -> Void) {
        dispatch { [weak self] in
            do throws(RemoteFault) {
                try await body()
            } catch {
                self?.failed(error)
            }
        }
    }

    /// Tells why a request has failed. A view that is already gone is what its key was pressed for;
    /// an event of unknown outcome is counted by the notice that says why, and that must stay.
    package func failed(_ fault: RemoteFault) {
        let isTold = fault.code == .unknown && actions.notice() != nil
        if fault.code == .gone || isTold { return actions.redraw() }
        actions.say(fault.message)
    }

    /// Tells that a session goes on in another worker, or after events whose outcome is unknown.
    package func resumed(_ front: Front, losing lost: Int) {
        let doubt = lost == 1 ? "1 event is in doubt" : "\(lost) events are in doubt"
        let death = front.workerDeath.map { ": \($0)" }
        let start = actions.notice() ?? death.map { _ in "the worker was restarted" }
        let parts = [start, lost > 0 ? doubt : nil].compactMap(\.self)
        if !parts.isEmpty { actions.say(parts.joined(separator: "; ") + (death ?? "")) }
    }
}
