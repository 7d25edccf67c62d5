// Front+Session: passes the session's messages, log items and waits to views and the surface.
//
// Spec       Protocol/SPEC.md, section 7 (Delivery classes)

package import NapkinCore
import NapkinProtocol
package import NapkinRuntime

extension Front {
    /// A message that was presented to a node.
    enum Presented {
        case state(MethodID, FrontNode, Payload)
        /// The payload is borrowed from the frame, and valid until the next one is read.
        case effect(MethodID, FrontNode, UnsafeRawBufferPointer)
        case items(LogItems, MethodID, FrontNode, after: LogGap?)
    }

    package func session(
        _ session: FrontSession, _ delivery: DeliveryClass, of id: UInt32, _ method: MethodID,
        _ payload: UnsafeRawBufferPointer
    ) -> ReceivedMessage? {
        if delivery == .state { return presentedState(id, method, payload) }
        if let call = tree.presentCall(of: id) { return ReceivedMessage(call, method, payload) }
        if let node = tree.node(id) { presented = .effect(method, node, payload) }
        return nil
    }

    @inline(never)
    private func presentedState(
        _ id: UInt32, _ method: MethodID, _ payload: UnsafeRawBufferPointer
    ) -> ReceivedMessage? {
        let value = Payload(Array(payload))
        if method == .fronts {
            frontsCounted(value)
            return nil
        }
        guard let node = tree.node(id) else { return nil }
        node.set(method, value)
        presented = .state(method, node, value)
        guard method != .tabs, let call = node.presentCall else { return nil }
        return ReceivedMessage(call, method, payload)
    }

    package func sessionHasPresented(_ session: FrontSession) {
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

    package func session(
        _ session: FrontSession, stateOf node: UInt32, _ method: MethodID
    ) -> Payload? {
        tree.node(node)?.states.first { $0.method == method }?.payload
    }
}

extension Front {
    package func session(
        _ session: FrontSession, _ items: LogItems, of id: UInt32, _ method: MethodID
    ) {
        guard let node = tree.node(id) else { return }
        let (new, gap) = node.logs.received(items, of: method)
        guard gap != nil || new.count > 0 else { return }
        presented = .items(new, method, node, after: gap)
        guard let view = node.view, let call = node.presentCall else { return }
        view.show(new, of: method, after: gap, call)
    }
}

extension Front {
    /// Events that have been sent and not answered.
    package var outstandingEvents: Int { session.outstandingEvents }

    /// Whether the surface learns each event's round-trip time. Set it before `run()`.
    package var timesEvents: Bool {
        get { session.timesEvents }
        set { session.timesEvents = newValue }
    }

    /// Whether the surface learns what the front waits for. Set it before `run()`.
    package var watchesWorker: Bool {
        get { session.watchesWorker }
        set { session.watchesWorker = newValue }
    }

    /// The front's next step until it is attached, in words.
    package var awaited: String { route.awaited(for: options.app) }

    package func session(_ session: FrontSession, waits wait: FrontWait?) {
        surface?.front(self, waits: wait)
    }
}

extension Front.End {
    /// Returns the end of a front whose connection has ended; `nil` if the front tries again. The
    /// first attempt must succeed.
    init?(_ end: ConnectionEnd, isDetaching: Bool, wasAttached: Bool) {
        let error = FrontError(end)
        if isDetaching {
            self = .detached
        } else if wasAttached, !error.isFinal {
            return nil
        } else {
            self = .failed(error)
        }
    }
}
