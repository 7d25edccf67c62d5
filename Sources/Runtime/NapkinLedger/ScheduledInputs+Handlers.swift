// ScheduledInputs+Handlers: calls the handlers of a session's timers and jobs.
//
// Isolation  @MainActor: the loop thread. Jobs are performed off it.
// Spec       Protocol/LEDGER.md, Timers and jobs

import NapkinCoding
import NapkinCore

/// A timer's firing, or a job and its result, while its handler runs.
final class ScheduledCall: IncomingCall {
    let input: ScheduledInput

    init(_ input: ScheduledInput) {
        self.input = input
    }
}

extension ScheduledInputs {
    /// Runs an interactor's handler for an input in a separate task, so that its changes form a
    /// separate stretch.
    func call(
        _ durable: any DurableInteractable, with input: ScheduledInput, _ ledger: SessionLedger
    ) {
        input.task = Task {
            switch input.kind {
            case .firing(let timer, _):
                guard let interactor = durable as? any SchedulingInteractable else {
                    return park(input, "its interactor schedules none")
                }
                let fire = { @MainActor in
                    await self.handle(input, ledger) { () throws(CBORError) in
                        try interactor.firing(timer.name, Payload(timer.payload))
                    }
                }
                guard isSuspect(input) else { return await fire() }
                await ledger.journal.scheduler.begin {
                    // The attempt must be known after a death.
                    self.tries(input)
                    await ledger.journal.waitUntilDurable()
                    Task.immediate { await fire() }
                }
            case .death(let job, let failure):
                guard let interactor = durable as? any PostingInteractable else {
                    return park(input, "its interactor posts none")
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
        _ job: JobImage, by interactor: any PostingInteractable, _ input: ScheduledInput,
        _ ledger: SessionLedger
    ) async {
        // The post and the attempt must be known after a death.
        await ledger.journal.waitUntilDurable()
        guard isUnderWay(input) else { return performed() }
        // Not the job's own call: what is changed meanwhile does not belong to its result.
        let call = IncomingCall()
        begins(input, in: call)
        let attempt = await call.asCurrent {
            await interactor.attempt(Payload(job.payload), key: JobKey(bytes: job.key))
        }
        performed()
        switch attempt {
        case .succeeded(let handler): await handle(input, ledger) { handler }
        case .failed(let reason): attemptFailed(input, reason)
        case .unreadable(let error): park(input, error.detail)
        }
    }

    private func handle(
        _ input: ScheduledInput, _ ledger: SessionLedger,
        _ handler: () throws(CBORError) -> @Sendable () async throws -> Void
    ) async {
        let body: @Sendable () async throws -> Void
        do throws(CBORError) {
            body = try handler()
        } catch {
            return park(input, error.detail)
        }
        guard isUnderWay(input) else { return handled(input, failure: nil) }
        input.isHandled = true
        let call = ScheduledCall(input)
        begins(input, in: call)
        await call.asCurrent {
            ledger.begin(.scheduled(input))
            do {
                try await body()
                handled(input, failure: nil)
            } catch {
                handled(input, failure: error)
            }
        }
    }
}
