// Front+Presented: what is presented reaches the node, its view, and then the surface.
//
// Layer      front.
// Isolation  @MainActor.
// Spec       Protocol/SPEC.md, section 7 (Delivery classes)

public import NapkinCore
import NapkinProtocol
public import NapkinRuntime

extension Front {
    /// A message that was presented to a node.
    enum Presented {
        case state(MethodID, FrontNode, Payload)
        /// The payload is the frame's, which is there until the next one is read.
        case effect(MethodID, FrontNode, UnsafeRawBufferPointer)
        case items(LogItems, MethodID, FrontNode, after: LogGap?)
    }

    public func session(
        _ session: FrontSession, _ delivery: DeliveryClass, of id: UInt32, _ method: MethodID,
        _ payload: UnsafeRawBufferPointer
    ) {
        if delivery == .state, method == .fronts { return frontsCounted(Payload(Array(payload))) }
        guard let node = tree.node(id) else { return }
        // Read once: each read of a reference that is kept elsewhere counts it.
        let receiver = node.receiver
        if delivery == .state {
            let value = Payload(Array(payload))
            node.set(method, value)
            presented = .state(method, node, value)
        } else if receiver == nil {
            presented = .effect(method, node, payload)
        }
        guard method != .tabs, let receiver else { return }
        IncomingCall.handlers.handle(
            PulledMessage(receiver, method, payload, node.presentCall))
    }

    public func sessionHasPresented(_ session: FrontSession) {
        if presented != nil { tellSurface() }
        whenPresented?()
    }

    @inline(never)
    private func tellSurface() {
        guard let presented = presented.take(), let surface else { return }
        switch presented {
        case .state(let method, let node, let payload):
            surface.front(self, presented: method, of: node, payload)
        case .effect(let method, let node, let payload):
            surface.front(self, effect: method, of: node, payload)
        case .items(let items, let method, let node, let gap):
            surface.front(self, appended: items, to: method, of: node, after: gap)
        }
    }

    private func frontsCounted(_ payload: Payload) {
        do {
            surface?.front(self, counts: try payload.decode(Int.self))
        } catch {
            let reason = "the number of fronts cannot be read: \(error)"
            Anomaly.report(.unpresentable(feature: "napkin", reason))
        }
    }

    public func session(
        _ session: FrontSession, stateOf node: UInt32, _ method: MethodID
    ) -> Payload? {
        tree.node(node)?.states.first { $0.method == method }?.payload
    }
}
