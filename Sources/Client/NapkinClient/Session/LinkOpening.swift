// LinkOpening: opens one URL, from the search for its session to the end of its workflow.
//
// Ownership  owns the connection to the worker, and the watchers of the signals that end it.
// Invariant  ends once. The URL is sent at most once: a lost connection is an end, not a retry,
//            because the worker has then cancelled the workflow.
// Spec       Protocol/SPEC.md, section 6 (Messages)

import NapkinCore
import NapkinFront
import NapkinProtocol
import NapkinRuntime
import NapkinTransport

/// How it ended; without a failure, the URL is open.
struct LinkEnding: Equatable {
    /// For programs: an outcome of the worker, or `unreachable`, `disconnected`, `timedOut`,
    /// `interrupted`, `outputClosed`.
    var outcome: String
    var failure: ClientFailure?

    init(_ outcome: String, failure: ClientFailure? = nil) {
        self.outcome = outcome
        self.failure = failure
    }
}

@MainActor
final class LinkOpening {
    /// The reason why this side stops.
    enum Reason {
        case interrupted
        case timedOut(Duration)
        /// The sentence is for people.
        case outputClosed(String)
    }

    /// How long the worker may take to confirm a cancellation. Chosen: a step that ignores its
    /// cancellation must not hold up this program.
    static let cancelTime: Duration = .seconds(1)

    private let app: String
    private let session: String?
    private let url: String
    private let timeout: Duration?
    private let report: (WorkflowStep) -> Void
    private let worker = FrontSession(client: MainCommand.name)
    private var number: UInt64?
    private var ended: CheckedContinuation<LinkEnding, Never>?
    private var ending: LinkEnding?
    /// Set when the workflow has been cancelled.
    private var stopping: LinkEnding?
    private var signals: [SignalWatcher] = []
    private var timer: LoopTimer?
    private var notice: WaitingNotice?
    /// The last step under way, for the sentence of a time-out.
    private var step: WorkflowStep?
    private var opened: OpenedSession

    init(
        app: String, session: String?, url: String, timeout: Duration?,
        report: @escaping (WorkflowStep) -> Void
    ) {
        self.app = app
        self.session = session
        opened = OpenedSession(name: session ?? app)
        self.url = url
        self.timeout = timeout
        self.report = report
    }

    /// Returns how it ended, once it has. A session that was opened in vain has then ended too.
    func run(asking daemon: DaemonOptions) async -> LinkEnding {
        let address: DaemonAddress
        do throws(ClientFailure) {
            address = try daemon.address()
        } catch {
            return LinkEnding("unreachable", failure: error)
        }
        do throws(DeepLinkError) {
            // Before anything is started for it.
            _ = try DeepLink(url)
        } catch {
            return LinkEnding(.malformedURL, error.message)
        }
        do throws(ClientFailure) {
            signals = try SignalWatcher.endings { [weak self] in self?.stop(.interrupted) }
        } catch {
            return LinkEnding("unreachable", failure: error)
        }
        if let timeout {
            timer = LoopTimer(after: timeout) { [weak self] in self?.stop(.timedOut(timeout)) }
        }
        let route = DaemonRoute(address)
        notice = WaitingNotice(for: { [app] in route.awaited(for: app) })
        worker.watchesWorker = true
        defer { notice?.end() }
        let ending = await withCheckedContinuation { continuation in
            ended = continuation
            Task { await self.connect(by: route) }
        }
        for signal in signals { signal.cancel() }
        timer?.cancel()
        // The worker handles a session whose connection is lost.
        if ending.failure != nil, worker.isConnected {
            await opened.endIfAlone(daemon)
        }
        worker.detach()
        worker.close()
        return ending
    }

    /// Cancels the workflow, and ends when the worker has confirmed that.
    func stop(_ reason: Reason) {
        guard ending == nil, stopping == nil else { return }
        let stopping = LinkEnding(reason, url, at: step)
        guard worker.isConnected else { return finish(stopping) }
        self.stopping = stopping
        // Until the front is attached there is no workflow, but there may be a session already.
        if let number { worker.cancelWorkflow(number) }
        _ = LoopTimer(after: Self.cancelTime) { [weak self] in self?.finish(stopping) }
    }

    private func connect(by route: DaemonRoute) async {
        do throws(FrontError) {
            let passage = try await find(by: route)
            guard ending == nil else { return passage.channel.close() }
            worker.connect(
                passage.channel, ticket: passage.ticket,
                attach: NapkinProtocol.Attach(declinesAsks: true, countsFronts: true),
                delegate: self)
        } catch {
            finish(LinkEnding("unreachable", failure: ClientFailure(error)))
        }
    }

    /// Finds the session, or opens it and remembers that.
    private func find(by route: DaemonRoute) async throws(FrontError) -> FrontPassage {
        var options = FrontOptions(
            app: app, session: session, client: MainCommand.name, creates: false)
        do throws(FrontError) {
            return try await route.connect(options)
        } catch  where error.refusal == .unknownSession {
            opened.isNew = true
            options.creates = true
            return try await route.connect(options)
        }
    }

    private func finish(_ ending: LinkEnding) {
        guard self.ending == nil else { return }
        self.ending = ending
        ended.take()?.resume(returning: ending)
    }
}

extension LinkOpening: FrontSessionDelegate {
    func sessionAttached(_ session: FrontSession, _ attached: Attached) {
        notice?.end()
        if let stopping { return finish(stopping) }
        guard ending == nil else { return }
        number = worker.openURL(url)
    }

    func session(_ session: FrontSession, waits wait: FrontWait?) {
        // How long a step takes is the workflow's business.
        WaitingLine.show(wait?.subject == .worker ? wait : nil, of: app)
    }

    func session(
        _ session: FrontSession, workflow number: UInt64, reached step: WorkflowStep
    ) {
        guard ending == nil else { return }
        self.step = step
        report(step)
    }

    func session(_ session: FrontSession, workflow number: UInt64, ended: WorkflowEnded) {
        // If the workflow completed before the cancellation arrived, the URL is open.
        if ended.outcome == .cancelled, let stopping { return finish(stopping) }
        finish(LinkEnding(ended.outcome, ended.message))
    }

    func sessionDisconnected(_ session: FrontSession, _ end: ConnectionEnd) {
        if let stopping { return finish(stopping) }
        finish(LinkEnding(end, of: app, at: step))
    }

    func session(
        _ session: FrontSession, applied transition: Transition, isSnapshot: Bool
    ) {}
    func session(
        _ session: FrontSession, _ delivery: DeliveryClass, of node: UInt32, _ method: MethodID,
        _ payload: UnsafeRawBufferPointer
    ) -> ReceivedMessage? {
        guard delivery == .state, method == .fronts else { return nil }
        // A number that cannot be read counts as company: a doubtful session is not ended.
        opened.counted((try? Payload(Array(payload)).decode(Int.self)) ?? .max)
        return nil
    }
    func session(
        _ session: FrontSession, asked id: UInt64, of node: UInt32, _ method: MethodID,
        _ payload: UnsafeRawBufferPointer
    ) {}
    func session(_ session: FrontSession, askEnded id: UInt64, answeredBy: String?) {}
}

extension LinkEnding {
    fileprivate init(_ outcome: WorkflowEnded.Outcome, _ message: String?) {
        self.init(outcome.rawValue)
        if outcome == .completed { return }
        failure = ClientFailure(
            ExitTable.status(for: outcome), message ?? "the worker did not say why")
    }

    fileprivate init(_ reason: LinkOpening.Reason, _ url: String, at step: WorkflowStep?) {
        let place = step.map { ", at step \($0.step) of \($0.of), \($0.name)" } ?? ""
        switch reason {
        case .interrupted:
            let message = "interrupted\(place): \(url) was cancelled"
            self.init("interrupted", failure: ClientFailure.tryAgain(message))
        case .timedOut(let timeout):
            let message = "\(url) was not open after \(timeout)\(place): it was cancelled"
            self.init("timedOut", failure: ClientFailure.tryAgain(message))
        case .outputClosed(let reason):
            let message = "\(reason); \(url) was cancelled"
            self.init("outputClosed", failure: ClientFailure.ioError(message))
        }
    }

    fileprivate init(_ end: ConnectionEnd, of app: String, at step: WorkflowStep?) {
        if case .refused(let refusal) = end {
            self.init("disconnected", failure: ClientFailure(FrontError(refusal)))
            return
        }
        let place = step.map { " at step \($0.step) of \($0.of), \($0.name)" } ?? ""
        let message =
            "the connection to the worker of \(app) was lost\(place) (\(end)), and with it the "
            + "workflow: open the URL again"
        self.init("disconnected", failure: ClientFailure.ioError(message))
    }
}
