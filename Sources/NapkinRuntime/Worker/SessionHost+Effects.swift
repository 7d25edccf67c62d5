// SessionHost+Effects: an effect is encoded once, for all fronts that see its node.
//
// Spec       Protocol/SPEC.md, section 7 (Delivery classes)

import NapkinCoding
public import NapkinCore
import NapkinLedger
import NapkinProtocol

extension SessionHost {
    public func effect(
        from node: FeatureNode, _ message: some CrossingMessage, to recipient: UInt64?
    ) {
        let fronts = fronts(showing: recipient)
        let id = node.id
        guard !fronts.isEmpty, mounted.has(id) else {
            unseenEffects += 1
            return
        }
        let method = message.method
        encoded.removeAll()
        do {
            try FrameHeader(.effect, node: id, epoch: epoch, method: method.rawValue)
                .write(into: &encoded) { (writer) throws(CBORError) in
                    try message.encode(into: &writer)
                }
        } catch {
            return Anomaly.report(
                .unencodable(feature: node.feature, method: method, error))
        }
        if activeLedger == nil, observer == nil {
            if fronts.count > 1, recipient == nil { return shareEncoded() }
            if fronts.count == 1 {
                if !shared.isEmpty { fronts[0].takeShared() }
                if encoded.withUnsafeBytes(fronts[0].sendsNow) { return }
            }
        }
        let frame = encoded.copyBytes()
        activeLedger?.presented(effect: frame, from: id)
        observer?.effect(node, method, frame, to: fronts)
        for front in fronts { front.effect(frame) }
    }
}
