// FrontSession+Receiving: what a worker's frames have a front do.
//
// Layer      runtime: performs what FrontStateMachine decides.
// Isolation  @MainActor: the loop thread, or the host's main thread.
// Spec       Protocol/SPEC.md, section 6 (Messages)

import NapkinCoding
import NapkinCore
public import NapkinProtocol

extension FrontSession: LinkDelegate {
    public func linkEstablished(_ link: Link) { linkStands(link) }

    public func link(
        _ link: Link, received header: FrameHeader, _ payload: UnsafeRawBufferPointer
    ) {
        switch machine.frameReceived(header, payload) {
        case .succeed(let event):
            if measures { ended(event, hasSucceeded: true) }
            answerArrived()
            event.succeed(borrowing: payload)
        case .state: present(.state, header, payload)
        case .effect: present(.effect, header, payload)
        case let action: perform(action, header, payload, on: link)
        }
    }

    private func present(
        _ delivery: DeliveryClass, _ header: FrameHeader, _ payload: UnsafeRawBufferPointer
    ) {
        delegate?.session(
            self, delivery, of: header.node, MethodID(rawValue: header.method), payload)
    }

    @inline(never)
    private func perform(
        _ action: FrontStateMachine<FrontEvent>.Action, _ header: FrameHeader,
        _ payload: UnsafeRawBufferPointer, on link: Link
    ) {
        switch action {
        case .succeed, .state, .effect, .ignore: break
        case .fail(let event, let fault):
            if measures { ended(event, hasSucceeded: false) }
            answerArrived()
            event.fail(RemoteFault(fault))
        case .answerIgnored: answerArrived()
        case .delta: applyDelta(header, payload, on: link)
        case .apply(let transition, let isSnapshot):
            delegate?.session(self, applied: transition, isSnapshot: isSnapshot)
        case .ask:
            delegate?.session(
                self, asked: header.sequence, of: header.node, MethodID(rawValue: header.method),
                payload)
        case .askEnded: delegate?.session(self, askEnded: header.sequence)
        case .attached(let attached, let ended, let frames):
            end(ended)
            link.send(encoded: frames)
            sendWaiting()
            delegate?.sessionAttached(self, attached)
        case .schemas: takeSchemas(payload, on: link)
        case .sendContracts(let features):
            link.send(FrameHeader(.contract), value: features.compactMap(contract))
        case .skipped(let skipped): delegate?.session(self, skipped: skipped)
        case .renamed(let renamed): delegate?.session(self, renamed: renamed)
        case .measure(let measure): report(measure, header.sequence, on: link)
        case .workflowStep(let step):
            delegate?.session(self, workflow: header.sequence, reached: step)
        case .workflowEnded(let ended):
            delegate?.session(self, workflow: header.sequence, ended: ended)
        case .violation(let what): link.violate(what)
        }
    }

    private func takeSchemas(_ payload: UnsafeRawBufferPointer, on link: Link) {
        do {
            schemas = try payload.decode()
        } catch {
            link.violate("unreadable contracts: \(error)")
        }
    }

    private func applyDelta(
        _ header: FrameHeader, _ payload: UnsafeRawBufferPointer, on link: Link
    ) {
        let method = MethodID(rawValue: header.method)
        let old = delegate?.session(self, stateOf: header.node, method)
        do {
            let new = try machine.deltaReceived(payload, to: old?.bytes)
            new.withUnsafeBytes { present(.state, header, $0) }
        } catch {
            link.violate("an unreadable delta of node \(header.node): \(error)")
        }
    }

    public func linkEnded(_ link: Link, _ end: LinkEnd) { linkIsOver(link, end) }

    // MARK: - Measuring

    public func linkWillFlush(_ link: Link) { meter?.willFlush() }

    private func report(_ measure: Measure, _ number: UInt64, on link: Link) {
        // It holds this session until it ends: see `Link` on what a weak reference costs.
        let meter = meter ?? FrontMeter { self.meter = nil }
        self.meter = meter
        link.send(FrameHeader(.measured, sequence: number), value: meter.report(for: measure))
    }

    /// An event was called while somebody measures.
    @inline(never)
    func began(_ event: FrontEvent, _ node: UInt32, _ method: MethodID, isSent: Bool) {
        if timesEvents { event.calledAt = .now }
        meter?.began(event, node, method)
        if isSent, let link { meter?.sent(event, by: link) }
    }

    @inline(never)
    private func ended(_ event: FrontEvent, hasSucceeded: Bool) {
        meter?.ended(event)
        guard let calledAt = event.calledAt.take(), hasSucceeded else { return }
        delegate?.session(self, eventTook: calledAt.duration(to: .now))
    }
}

extension RemoteFault {
    /// A fault that has arrived; a code of a later version counts as `failed`.
    init(_ fault: Fault) {
        self.init(Code(rawValue: fault.code) ?? .failed, fault.message)
    }
}
