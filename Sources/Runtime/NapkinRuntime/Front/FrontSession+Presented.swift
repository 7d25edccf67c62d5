// FrontSession+Presented: handles states that arrive as deltas, and the items of logs.
//
// Layer      runtime. Bytes from a peer can never trap here.
// Isolation  @MainActor: the loop thread, or the host's main thread.
// Spec       Protocol/SPEC.md, section 6 (Messages)

import NapkinCoding
import NapkinCore
import NapkinProtocol

extension FrontSession {
    func takeItems(
        _ header: FrameHeader, _ payload: UnsafeRawBufferPointer, on link: Link
    ) {
        do {
            let items = try LogItems(first: header.sequence, payload: payload)
            delegate?.session(self, items, of: header.node, MethodID(rawValue: header.method))
        } catch {
            link.violate("unreadable items of a log: \(error)")
        }
    }

    func applyDelta(
        _ header: FrameHeader, _ payload: UnsafeRawBufferPointer, on link: Link
    ) {
        let method = MethodID(rawValue: header.method)
        let old = delegate?.session(self, stateOf: header.node, method)
        do {
            let new = try machine.deltaReceived(payload, to: old?.bytes)
            new.withUnsafeBytes { bytes in
                delegate?.session(self, .state, of: header.node, method, bytes)?.receive()
            }
        } catch {
            link.violate("an unreadable delta of node \(header.node): \(error)")
        }
    }
}
