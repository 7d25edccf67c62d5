// SessionHost+Inputs: calls the handlers of a session's timers and jobs, and decides when the
// session may leave the memory.
//
// Isolation  @MainActor: the loop thread. Jobs are performed off it.
// Spec       Protocol/LEDGER.md, Timers and jobs

import NapkinCoding
import NapkinCore
import NapkinLedger
import NapkinProtocol

/// A timer's firing, or a job and its result, while its handler runs.
final class OwnCall: IncomingCall {
    let input: OwnInput

    init(_ input: OwnInput) {
        self.input = input
    }
}

extension SessionHost {
    /// The input whose handler the running task executes or was started by, if it belongs to this
    /// session and has not been answered.
    var currentInput: SessionLedger.Input? {
        switch IncomingCall.origin {
        case let call as EventCall: call.event(of: self).map { .event($0) }
        case let call as OwnCall:
            ledger?.inputs.isUnderWay(call.input) == true ? .own(call.input) : nil
        default: nil
        }
    }

    /// Runs an interactor's handler for an input in a separate task, so that its changes form a
    /// separate stretch.
    func run(_ input: OwnInput, on router: RouterCore) {
        guard let ledger, let durable = router.durable else { return }
        Task {
            switch input.kind {
            case .firing(let timer, _):
                guard let interactor = durable as? any SchedulingInteractable else {
                    return ledger.inputs.park(input, "its interactor schedules none")
                }
                let fire = { @MainActor in
                    await self.handle(input, ledger) { () throws(CBORError) in
                        try interactor.firing(timer.name, Payload(timer.payload))
                    }
                }
                guard ledger.inputs.isSuspect(input) else { return await fire() }
                await ledger.journal.dues.begin {
                    // The attempt must be known after a death.
                    ledger.inputs.tries(input)
                    await ledger.journal.settle()
                    Task.immediate { await fire() }
                }
            case .death(let job, let failure):
                guard let interactor = durable as? any PostingInteractable else {
                    return ledger.inputs.park(input, "its interactor posts none")
                }
                await handle(input, ledger) { () throws(CBORError) in
                    try interactor.failing(
                        Payload(job.payload), failure, key: JobKey(bytes: job.key))
                }
            case .attempt(let job, _):
                guard let interactor = durable as? any PostingInteractable else {
                    preconditionFailure("a job is begun for an interactor that posts")
                }
                await perform(job, by: interactor, input, ledger)
            }
        }
    }

    private func perform(
        _ job: JobImage, by interactor: any PostingInteractable, _ input: OwnInput,
        _ ledger: SessionLedger
    ) async {
        // The post and the attempt must be known after a death.
        await ledger.journal.settle()
        let attempt = await interactor.attempt(
            Payload(job.payload), key: JobKey(bytes: job.key))
        ledger.inputs.performed()
        switch attempt {
        case .succeeded(let handler): await handle(input, ledger) { handler }
        case .failed(let reason): ledger.inputs.attemptFailed(input, reason)
        case .unreadable(let error): ledger.inputs.park(input, error.detail)
        }
    }

    private func handle(
        _ input: OwnInput, _ ledger: SessionLedger,
        _ handler: () throws(CBORError) -> @Sendable () async throws -> Void
    ) async {
        let body: @Sendable () async throws -> Void
        do throws(CBORError) {
            body = try handler()
        } catch {
            return ledger.inputs.park(input, error.detail)
        }
        guard ledger.inputs.isUnderWay(input) else {
            return ledger.inputs.handled(input, failure: nil)
        }
        await OwnCall(input).asCurrent {
            ledger.inputs.handles(input)
            do {
                try await body()
                ledger.inputs.handled(input, failure: nil)
            } catch {
                ledger.inputs.handled(input, failure: error)
            }
        }
    }

    // MARK: - Passivation

    /// Whether the session could leave the memory and return unnoticed: all of its interactors are
    /// durable, no work is under way, and no front is attached.
    package var isPassive: Bool {
        guard let ledger, ledger.inputs.isAtRest, let root else { return false }
        return seats.values.allSatisfy(\.isAway) && observer == nil && openQuestions == 0
            && runningHandlers == 0
            && forgotten.allSatisfy { $0.machine.events.runningEvents == 0 }
            && Self.isAtRest(root.core)
    }

    private static func isAtRest(_ core: RouterCore) -> Bool {
        core.durable != nil && core.interactable.lifecycle.boundTaskCount == 0
            && core.childCores.allSatisfy(isAtRest)
    }

    /// Counts connections and records. A changed number shows that the session has been used since
    /// the last comparison.
    package var uses: UInt64 { connections &+ (ledger?.recordCount ?? 0) }
}
