// ChildRecorder: records the state of a durable interactor in a child's process: its worker keeps
// it.
//
// Ownership  owned by its host, whose line and node it uses.
// Invariant  nothing that a stretch has presented, called or answered leaves the process before the
//            state from which it follows; a process that dies in a stretch has said nothing of it.
// Spec       Protocol/CHILD.md, section 5 (State)

import NapkinCoding
import NapkinCore
import NapkinTransport

/// The recorder of a tree of one router.
@MainActor
final class ChildRecorder {
    private let durable: any DurableInteractable
    private let line: ChildLine
    private let start: ChildStart
    /// Returns the number of the worker's call for which the running code acts.
    private let cause: () -> UInt64
    private let node: FeatureNode?
    /// The state as the worker has it.
    private var kept: Payload
    private var stretch: (cause: UInt64, mark: FeatureNode.Mark?)?
    private var isChanged = false

    /// - Parameter state: what the worker has kept, which the interactor gets.
    init(
        _ durable: any DurableInteractable, of node: FeatureNode?, _ state: Payload,
        _ start: ChildStart, on line: ChildLine, cause: @escaping () -> UInt64
    ) throws(CBORError) {
        (self.durable, self.node, self.line, self.cause) = (durable, node, line, cause)
        (self.start, kept) = (start, state)
        try durable.replaceState(with: state)
    }

    private func begin() {
        guard stretch == nil else { return }
        stretch = (cause(), node?.mark())
        line.hold { [weak self] in self?.end() }
        Loop.shared.whenJobEnds { self.end() }
    }

    /// Ends the stretch: its handler has returned or suspended itself, or there is no room for more.
    func end() {
        guard let stretch else { return }
        let state = changedState()
        self.stretch = nil
        for log in node?.logs.entries ?? [] { node?.trimLog(log.method) }
        line.release(after: state, for: stretch.cause)
        durable.durability.listen()
    }

    /// Returns the state, if it differs from the one that the worker has.
    private func changedState() -> Payload? {
        guard isChanged else { return nil }
        do throws(CBORError) {
            let state = try durable.encodedState()
            isChanged = false
            guard state != kept else { return nil }
            kept = state
            return state
        } catch {
            Anomaly.report(.unwritableState(feature: node?.feature ?? "", error))
            handlerFailed()
            return nil
        }
    }

    /// Takes back what a handler has changed and presented in this stretch.
    func handlerFailed() {
        guard let stretch, isChanged else { return }
        isChanged = false
        do throws(CBORError) {
            try durable.replaceState(with: kept)
        } catch {
            preconditionFailure("a state that was read before: \(error)")
        }
        line.takeBack()
        if let mark = stretch.mark { node?.reset(to: mark) }
    }
}

extension ChildRecorder: TreeRecorder {
    var routers: any RouterRecorder { self }
    var outbox: (any Outbox)? { nil }

    func stateChanged(of number: UInt32) {
        begin()
        isChanged = true
        FlightRecorder.changed()
    }

    func logGrew(of node: FeatureNode, _ method: MethodID) -> Bool {
        stretch != nil && node.logs[method]?.limits.isProvisional == false
    }

    func willPresent(from number: UInt32) { begin() }
}

extension ChildRecorder: RouterRecorder {
    func entered(
        _ router: RouterCore, under parent: UInt32
    ) -> (number: UInt32, isRestored: Bool) { (1, start.isRestored) }

    func left(_ number: UInt32) {}

    func missingChildren(of number: UInt32) -> [MissingChild] { [] }

    func selected(_ tab: String, of number: UInt32) {}

    func selectedTab(of number: UInt32) -> String? { nil }

    func takeInterrupted(of number: UInt32) -> [InterruptedEvent] { start.interrupted }
}
