// Replay: sends the inputs of a receipt to a worker that does nothing else.
//
// Ownership  owned by the command; owns its front.
// Invariant  the inputs are sent one after another, as they ran.

import NapkinCoding
import NapkinCore
import NapkinFront
import NapkinProtocol
import NapkinTransport

@MainActor
final class Replay {
    /// How long a timer, a job, a launch or a task may take to end the worker. Chosen: they are due
    /// as soon as the session exists.
    private static let ownTime = Duration.seconds(10)

    private let receipt: Receipt
    private let session: String
    private let isEvent: Bool
    private let events: [FlightInput]
    private var hasBegun = false
    private var answer = "the worker has not died"
    private var deadline: LoopTimer?
    private var run: FrontRun?

    /// Throws if the receipt is incomplete.
    init(of receipt: Receipt) throws(ClientFailure) {
        do throws(ReplayGap) {
            events = try receipt.replay()
        } catch {
            throw .dataError("receipt \(receipt.number) cannot be replayed: \(error)")
        }
        (self.receipt, session) = (receipt, receipt.input?.session ?? "")
        isEvent = receipt.input?.kind == .event
    }

    /// Sends the inputs. Returns how the last one ended, for a person.
    ///
    /// - Parameter patience: how long the program may take before it listens.
    func run(
        in address: DaemonAddress, within patience: Duration? = nil
    ) async throws(ClientFailure) -> String {
        let connection = try await connect(to: address, within: patience)
        defer { connection.close() }
        if let image = receipt.image {
            try await connection.load(image, of: receipt.app, as: session)
        }
        let front = Front(
            at: address,
            options: FrontOptions(
                app: receipt.app, session: session, client: MainCommand.name,
                creates: receipt.image == nil, answersAsks: false))
        let run = FrontRun(front)
        self.run = run
        front.surface = self
        if !isEvent {
            deadline = LoopTimer(after: Self.ownTime) { run.quit() }
        }
        defer { deadline?.cancel() }
        do throws(ClientFailure) {
            try await run.run()
        } catch {
            answer = "\(error)"
        }
        if !isEvent { await nextWorker(at: address) }
        return answer
    }

    /// Returns when a worker runs: if one has died, napkind has already written the reason down.
    private func nextWorker(at address: DaemonAddress) async {
        do throws(FrontError) {
            let connection = try await DaemonConnection.connect(
                to: address, client: MainCommand.name, role: .front)
            defer { connection.close() }
            _ = try await connection.open(
                Open(app: receipt.app, session: session, creates: false))
        } catch {
            // No more workers are started, and the last one has left its receipt.
            return
        }
    }

    private func connect(
        to address: DaemonAddress, within patience: Duration?
    ) async throws(ClientFailure) -> DaemonConnection {
        let end = ContinuousClock.now + (patience ?? .zero)
        while true {
            do throws(FrontError) {
                return try await DaemonConnection.connect(
                    to: address, client: MainCommand.name, role: .tool)
            } catch {
                guard ContinuousClock.now < end else { throw ClientFailure(error) }
            }
            // A debugger does not report that its program runs.
            await LoopTimer.wait(.milliseconds(100))
        }
    }
}

extension Replay: Surface {
    func front(_ front: Front, applied changes: [TreeChange]) {
        guard !hasBegun, !events.isEmpty else { return }
        hasBegun = true
        dispatch { [self] in
            for event in events {
                let end: String
                do throws(RemoteFault) {
                    try await front.replay(event)
                    end = "the event has been handled"
                } catch {
                    end = "\(error.code): \(error.message)"
                }
                if isEvent { answer = end }
            }
            if isEvent { run?.quit() }
        }
    }

    func front(_ front: Front, disconnected reason: String) {
        // An event is sent again, and then answered.
        if !isEvent { run?.quit() }
    }
}
