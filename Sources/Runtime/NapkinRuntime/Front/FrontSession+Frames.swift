// FrontSession+Frames: handles the rarer frames of a front's worker.
//
// Layer      runtime. Bytes from a peer can never trap here.
// Spec       Protocol/SPEC.md, section 6 (Messages)

import NapkinCoding
import NapkinCore
import NapkinProtocol
import NapkinTransport

extension FrontSession {
    @inline(never)
    func perform(
        _ action: FrontStateMachine<FrontEvent>.Action, _ header: FrameHeader,
        _ payload: UnsafeRawBufferPointer, on link: Link
    ) {
        switch action {
        case .succeed, .state, .effect: break
        case .ignore: if header.kind == .pong { pulse?.answered(header.sequence) }
        case .log: takeItems(header, payload, on: link)
        case .fail(let event, let fault):
            if measures { ended(event, hasSucceeded: false) }
            answerArrived()
            let fault = RemoteFault(fault)
            if fault.receipt != nil { delegate?.session(self, setAside: fault) }
            event.fail(fault)
        case .answerIgnored: answerArrived()
        case .delta: applyDelta(header, payload, on: link)
        case .apply(let transition, let isSnapshot):
            delegate?.session(self, applied: transition, isSnapshot: isSnapshot)
        case .ask:
            pulse?.questionOpened(header.sequence)
            delegate?.session(
                self, asked: header.sequence, of: header.node, MethodID(rawValue: header.method),
                payload)
        case .askEnded:
            pulse?.questionEnded(header.sequence)
            let news = payload.isEmpty ? nil : payload.decoded(AskEnded.self)
            delegate?.session(self, askEnded: header.sequence, answeredBy: news?.answeredBy)
        case .attached(let attached, let ended, let frames):
            attachedAt = Loop.shared.now
            end(ended)
            link.send(encoded: frames)
            cancelAbandoned()
            sendWaiting()
            if watchesWorker { pulse = FrontPulse(self, link) }
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

    private func takeItems(
        _ header: FrameHeader, _ payload: UnsafeRawBufferPointer, on link: Link
    ) {
        do {
            var items = try LogItems(first: header.sequence, payload: payload)
            items.beginsAnew = header.flags & FrameHeader.beginsAnewFlag != 0
            delegate?.session(self, items, of: header.node, MethodID(rawValue: header.method))
        } catch {
            link.violate("unreadable items of a log: \(error)")
        }
    }

    private func applyDelta(
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
