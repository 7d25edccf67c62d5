// ChildRecorder: records the state of a durable interactor in a child's process: its worker keeps
// it.
//
// Ownership  owned by its host, whose line and node it uses.
// Invariant  nothing that a stretch has presented, called or answered leaves the process before the
//            state from which it follows; a process that dies in a stretch has said nothing of it.
// Spec       Protocol/CHILD.md, section 5 (State)

import NapkinCoding
import NapkinCore
import NapkinProtocol
import NapkinTransport

/// The recorder of a tree of one router.
@MainActor
final class ChildRecorder {
    private struct Stretch {
        /// The number of the worker's call for which it runs.
        let cause: UInt64
        let mark: FeatureNode.Mark?
        var isChanged = false
        /// Whether the interactor has learned of the handlers that were interrupted.
        var isTold = false
        /// The encoded state, if that is current.
        var encoded: Payload?
    }

    private let durable: any DurableInteractable
    private let node: FeatureNode?
    private let line: ChildLine
    private let start: ChildStart
    private unowned let host: ChildHost
    /// The state as the worker has it.
    private var kept: Payload
    private var stretch: Stretch?

    /// - Parameter state: what the worker has kept, which the interactor gets.
    init(
        _ durable: any DurableInteractable, of node: FeatureNode?, _ state: Payload,
        _ start: ChildStart, on line: ChildLine, host: ChildHost
    ) throws(CBORError) {
        (self.durable, self.node, self.line, self.host) = (durable, node, line, host)
        (self.start, kept) = (start, state)
        try durable.replaceState(with: state)
    }

    private func begin() {
        guard stretch == nil else { return }
        stretch = Stretch(cause: host.cause, mark: node?.mark())
        line.hold(beside: kept.bytes.count) { [weak self] in self?.end() }
        Loop.shared.whenJobEnds { self.end() }
    }

    /// Ends the stretch: its handler has returned or suspended itself, or there is no more room.
    func end() {
        if let defect = encode() {
            Anomaly.report(.unwritableState(feature: node?.feature ?? "", defect))
            rollBack()
        }
        guard let stretch = stretch.take() else { return }
        for log in node?.logs.entries ?? [] { node?.trimLog(log.method) }
        let state = stretch.encoded ?? kept
        let isNews = state != kept || stretch.isTold
        kept = state
        line.release(after: isNews ? state : nil, for: stretch.cause, isTold: stretch.isTold)
        durable.durability.listen()
    }

    /// A handler has ended. Returns the answer to its call: a fault, if it has left a state that
    /// cannot be kept.
    func handlerEnded(_ result: LineResult) -> LineResult {
        guard case .success = result, let defect = encode() else {
            if case .failure = result { rollBack() }
            return result
        }
        rollBack()
        return .failure(RemoteFault(.failed, "the state cannot be kept: \(defect.detail)"))
    }

    /// Encodes the state, if it has changed; returns why that is not possible.
    private func encode() -> CBORError? {
        guard let stretch, stretch.isChanged, stretch.encoded == nil else { return nil }
        do throws(CBORError) {
            self.stretch?.encoded = try durable.encodedState()
            // A later change in this stretch must be reported again: `encoded` is stale then.
            durable.durability.listen()
            return nil
        } catch {
            return error
        }
    }

    /// Takes back what was changed and presented in this stretch, if something was changed.
    private func rollBack() {
        guard let stretch, stretch.isChanged else { return }
        do throws(CBORError) {
            try durable.replaceState(with: kept)
        } catch {
            let what = "its state cannot be read as it was written: \(error.detail)"
            return line.link.refuse(Refusal(.badRequest, what))
        }
        self.stretch?.isChanged = false
        self.stretch?.encoded = nil
        let withdrawn = line.withdraw {
            switch $0.kind {
            case .state, .effect: true
            case .log: !isProvisional(MethodID(rawValue: $0.method))
            default: false
            }
        }
        guard let node else { return }
        if let mark = stretch.mark { node.reset(to: mark) }
        // A state from before the stretch may have waited for it.
        for number in Set(withdrawn.filter { $0.kind == .state }.map(\.method)) {
            let method = MethodID(rawValue: number)
            if node.payload(of: method) != nil { host.stateChanged(of: node, method) }
        }
    }

    private func isProvisional(_ log: MethodID) -> Bool {
        node?.logs[log]?.limits.isProvisional == true
    }
}

extension ChildRecorder: TreeRecorder {
    var routers: any RouterRecorder { self }
    var outbox: (any Outbox)? { nil }

    func stateChanged(of number: UInt32) {
        begin()
        stretch?.isChanged = true
        stretch?.encoded = nil
        FlightRecorder.changed()
    }

    func logGrew(of node: FeatureNode, _ method: MethodID) -> Bool {
        stretch != nil && !isProvisional(method)
    }

    func willPresent(from number: UInt32) { begin() }
}

extension ChildRecorder: RouterRecorder {
    func entered(
        _ router: RouterCore, under parent: UInt32
    ) -> (number: UInt32, isRestored: Bool) { (1, start.isRestored) }

    func detached(_ number: UInt32) {}

    func missingChildren(of number: UInt32) -> [MissingChild] { [] }

    func selected(_ tab: String, of number: UInt32) {}

    func selectedTab(of number: UInt32) -> String? { nil }

    func interrupted(of number: UInt32) -> [InterruptedEvent] { start.interrupted }

    func takeInterrupted(of number: UInt32) -> [InterruptedEvent] {
        guard !start.interrupted.isEmpty else { return [] }
        begin()
        stretch?.isTold = true
        return start.interrupted
    }
}
