// ProcessRunner: starts, serves and ends a child's process for its worker, and reports its crash.
//
// Ownership  owned by the child's router; kept by its process and its line until both have ended.
// Spec       Protocol/CHILD.md

import Glibc
import NapkinCoding
package import NapkinCore
import NapkinLedger
package import NapkinProtocol
import NapkinTransport

/// Drives the machine of one child's process.
@MainActor
package final class ProcessRunner: ChildRunner {
    /// The descriptor at which a child's process finds its line.
    package nonisolated static let descriptor: Int32 = 3
    /// The time that a child has to become active. Chosen: no start takes that long.
    private static let startingTime = Duration.seconds(60)
    /// How long the end of a line may take after its process has ended: a process that the child
    /// has started may have inherited it. Chosen: the kernel closes sockets at once.
    private static let hangUpTime = Duration.seconds(1)

    /// How the processes of a worker's children are started and watched.
    package struct Settings: Sendable {
        /// Returns the arguments of the worker's program for a child.
        package var arguments: @Sendable (FeatureID) -> [String]
        /// The children that the app has builders for.
        package var features: Set<FeatureID>
        /// The descriptor of the memory in which a child notes what it runs.
        package var flightDescriptor: Int32
        /// How long a child's loop may leave a ping unanswered; `nil` for no limit.
        package var patience: Duration?

        package init(
            features: Set<FeatureID>, flightDescriptor: Int32, patience: Duration?,
            arguments: @escaping @Sendable (FeatureID) -> [String]
        ) {
            (self.features, self.flightDescriptor) = (features, flightDescriptor)
            (self.patience, self.arguments) = (patience, arguments)
        }
    }

    /// Called with each death of a child's process.
    package static var onDeath: (ChildDeath) -> Void = { _ in }

    package weak var core: RouterCore?
    private let parts: ProcessChild.Parts
    private let settings: Settings
    private var machine = ChildProcessStateMachine()
    private var process: ChildProcess?
    private var line: ChildLine?
    /// What the process notes; `nil` if there is no memory for that.
    private var flight: SharedMemory?
    private var watchdog: Watchdog?
    private var timer: LoopTimer?
    private var activating: CheckedContinuation<Void, Never>?
    private var resigning: CheckedContinuation<Void, Never>?
    /// For the task that waits for a hook of the child.
    private var standIn: StandIn?
    /// Records the parent's changes; kept until the last handler of the child's calls has returned.
    private var ledger: SessionLedger?
    /// The child's state, if it is durable; kept until its process has left.
    private var durable: (any DurableInteractable)?
    /// Whether a stretch of the child is being handled, as one input.
    private var isInStretch = false
    /// What the next process begins with.
    private var beginning = ChildStart(isRestored: false, interrupted: [])

    package init(_ parts: ProcessChild.Parts, _ settings: Settings) {
        (self.parts, self.settings) = (parts, settings)
    }

    private var node: FeatureNode { parts.node }
    private var feature: FeatureID { node.feature }

    // MARK: - The parent's side

    package func restored(interrupted: [InterruptedEvent]) {
        beginning = ChildStart(isRestored: true, interrupted: interrupted)
    }

    package func activate() async {
        ledger = core?.recorder as? SessionLedger
        await hook {
            activating = $0
            perform(machine.activated())
        }
    }

    package func resign() async {
        line?.peerDetached()
        await hook {
            resigning = $0
            perform(machine.resigned())
        }
    }

    /// Returns when a hook of the child has returned, and so have the handlers that it called here.
    private func hook(_ begin: (CheckedContinuation<Void, Never>) -> Void) async {
        let standIn = StandIn()
        self.standIn = standIn
        await withCheckedContinuation(begin)
        self.standIn = nil
        await standIn.end()
    }

    package func forward(
        _ method: MethodID, _ payload: UnsafeRawBufferPointer, for call: IncomingCall
    ) async -> Result<Payload, RemoteFault> {
        do throws(RemoteFault) {
            guard machine.isActive, let line else {
                throw RemoteFault(
                    .notExecuted, "the process of \(feature) has ended, and no other runs yet")
            }
            let caller = call.caller.map(ChildCaller.init)
            let event = try line.begin(.event, method, origin: call) { (writer) throws(CBORError) in
                try writer.write(caller)
                writer.append(payload)
            }
            return .success(try await event.answer())
        } catch {
            return .failure(error)
        }
    }

    package func violated(_ what: String) { line?.link.violate(what) }

    // MARK: - The machine

    private func perform(_ actions: [ChildProcessStateMachine.Action]) {
        for action in actions { perform(action) }
    }

    private func perform(_ action: ChildProcessStateMachine.Action) {
        switch action {
        case .start: start()
        case .activated:
            timer?.cancel()
            activating.take()?.resume()
        case .detach: line?.send(FrameHeader(.detach))
        case .kill: process?.kill(SIGKILL)
        case .abort:
            process?.kill(SIGABRT)
            wait(ChildProcessStateMachine.abortTime)
        case .resigned: resigning.take()?.resume()
        case .left:
            forgetProcess("the child was detached")
            durable = nil
            resigning.take()?.resume()
        case .report(let cause): report(cause)
        case .wait(let time): wait(time)
        case .giveUp: Task { await core?.leaveParent() }
        }
    }

    /// Reports `timerFired` after this time, and not after an earlier one.
    private func wait(_ time: Duration) {
        timer?.cancel()
        timer = LoopTimer(deadline: time) { [self] in
            perform(machine.timerFired(isAwaited: line?.isDetaching == true))
        }
    }

    private func start() {
        durable = core?.durable
        guard settings.features.contains(feature) else {
            return perform(
                machine.failed("its builder is not in the app's isolatedChildren: name it there"))
        }
        do throws(TransportError) {
            // Without it, a crash has no receipt.
            flight = try? SharedMemory(bytes: FlightMemory.bytes)
            try Channel.paired { (channel, childEnd) throws(TransportError) in
                let process = try ChildProcess(
                    ChildProcess.Configuration(
                        executable: OwnProgram.link, arguments: settings.arguments(feature),
                        descriptors: [
                            Self.descriptor: childEnd,
                            settings.flightDescriptor: flight?.descriptor,
                        ].compactMapValues(\.self), inheritsStandardOutput: true)
                ) { [self] in exited($0) }
                self.process = process
                line = ChildLine(
                    channel,
                    role: .acceptor(.worker, server: "\(feature)'s worker", pid: process.pid),
                    owner: self)
            }
            wait(Self.startingTime)
        } catch {
            perform(machine.failed("\(error)"))
        }
    }

    private func exited(_ status: ChildProcess.ExitStatus) {
        watchdog = nil
        // All that the child has sent comes first.
        let line = line
        _ = LoopTimer(deadline: Self.hangUpTime) { line?.link.close() }
        let exit: ChildEnd =
            switch status {
            case .exited(let code): .exited(code)
            case .signalled(let signal): .signalled(signal)
            }
        perform(machine.exited(exit))
    }

    private func report(_ cause: ChildEnd) {
        let methods = Dictionary(
            node.listenedMethods.map { ($0.id, $0.key) }, uniquingKeysWith: { first, _ in first })
        let calls = (line?.unanswered ?? []).map {
            (name: methods[$0.method] ?? "\($0.method.rawValue)", hasChanged: $0.hasChanged)
        }
        let crash = ChildCrash(feature: feature, cause: cause, calls: calls.map(\.name))
        if durable != nil {
            let interrupted = calls.filter(\.hasChanged).map { InterruptedEvent(method: $0.name) }
            restored(interrupted: beginning.interrupted + interrupted)
        }
        Anomaly.report(.childCrashed(crash))
        if let process { reportDeath(process.pid, crash) }
        forgetProcess("\(crash)")
        let number = machine.crashes
        handling(nil) {
            Task.immediate { [self] in
                let after = await core?.childCrashed(crash) ?? .giveUp
                perform(
                    machine.decided(
                        number, restarts: after == .restart,
                        at: .nanoseconds(MeasuringClock.nanoseconds), jitter: .random(in: 0..<1)))
            }
        }
    }

    private func reportDeath(_ pid: Int32, _ crash: ChildCrash) {
        let page = flight.take()?.copy().prefix(FlightPage.bytes) ?? []
        let ran = FlightRecording(Array(page)).running
        let event = ran.flatMap { line?.call($0.sequence) }
        let input = event.flatMap { event in
            (event.origin as? EventCall)?.input(ran?.hash ?? 0, event.arguments, of: node)
        }
        Self.onDeath(
            ChildDeath(
                child: core?.path ?? "\(feature)", pid: pid, cause: "\(crash)", page: Array(page),
                input: input))
    }

    private func forgetProcess(_ reason: String) {
        timer?.cancel()
        let line = line
        (timer, watchdog, process, self.line) = (nil, nil, nil, nil)
        line?.cancelCalls { $0.isQuestion }
        line?.failCalls(because: reason)
    }

    // MARK: - The ledger

    /// Returns when what the parent has recorded is durable.
    private func waitUntilDurable() async {
        guard let ledger, !ledger.isDormant else { return }
        await ledger.journal.waitUntilDurable(unlessFull: true)
    }
}

extension ProcessRunner: ChildLineOwner {
    /// What the input changes is recorded as the event's that has caused it.
    func handling(_ cause: IncomingCall?, _ body: () -> Void) {
        guard let ledger, !isInStretch else { return body() }
        ledger.handling(cause.flatMap { ledger.session?.event(of: $0) }, body)
    }

    func lineEstablished(_ line: ChildLine) {
        guard let process else { return }
        do throws(CBORError) {
            if let durable { line.keep(try durable.encodedState()) }
        } catch {
            line.link.refuse(Refusal(.badRequest, "its state cannot be sent: \(error.detail)"))
        }
        line.send(FrameHeader(.attach)) { (writer) throws(CBORError) in
            try writer.write(beginning)
            writer.append(node.arguments.bytes)
        }
        watchdog = Watchdog(
            link: line.link, pid: process.pid, patience: settings.patience
        ) { [weak self] in self?.hung() }
    }

    private func hung() { perform(machine.hung()) }

    func line(
        _ line: ChildLine, called header: FrameHeader, _ payload: UnsafeRawBufferPointer
    ) {
        let method = MethodID(rawValue: header.method)
        guard header.kind == .event else {
            let terms = header.terms
            return line.run(header, terms: terms) { call in
                call.isQuestion = true
                QuestionTerms.$current.withValue(terms) { present(header, payload, call) }
            }
        }
        do throws(CBORError) {
            let (number, arguments) = try payload.context(UInt64.self)
            let (cause, standIn) = cause(number, on: line)
            handling(cause) {
                line.run(header, cause: cause, standIn: standIn, holding: waitUntilDurable) {
                    call in
                    parts.listening.receive(method, arguments, call)
                }
            }
        } catch {
            line.link.violate("an event without the number of its cause: \(error.detail)")
        }
    }

    /// Returns the call of this process that has led to a change or a call of the child, and the
    /// task that waits for it.
    private func cause(_ number: UInt64, on line: ChildLine) -> (IncomingCall?, StandIn?) {
        let standIn = number == ChildCall.ofHook ? standIn : nil
        return (standIn?.call ?? line.call(number)?.origin, standIn)
    }

    func line(
        _ line: ChildLine, keeps stretch: ChildStretch, _ body: () -> Void
    ) throws(CBORError) {
        guard let durable else { throw CBORError(.typeMismatch, "\(feature) is not durable") }
        line.call(stretch.cause)?.hasChanged = true
        var defect: CBORError?
        handling(cause(stretch.cause, on: line).0) {
            isInStretch = true
            defer { isInStretch = false }
            do throws(CBORError) {
                try durable.replaceState(with: stretch.state)
            } catch {
                defect = error
                return
            }
            durable.durability.changed()
            if stretch.isTold {
                beginning.interrupted = []
                if let core { _ = core.recorder?.routers.takeInterrupted(of: core.number) }
            }
            body()
        }
        if let defect { throw defect }
    }

    func line(
        _ line: ChildLine, received header: FrameHeader, _ payload: UnsafeRawBufferPointer
    ) throws(CBORError) {
        switch header.kind {
        case .pong: watchdog?.answered(header.sequence)
        case .attached:
            beginning.isRestored = durable != nil
            perform(machine.attached())
        case .detach: perform(machine.resignedItself())
        case .state, .effect, .log:
            let call = ChildCall(0) { result in
                guard case .failure(let fault) = result else { return }
                line.link.violate("a message of \(self.feature): \(fault)")
            }
            let beginsAnew =
                header.kind == .log && header.flags & FrameHeader.beginsAnewFlag != 0
            handling(nil) {
                LogRestart.run(beginsAnew) { present(header, payload, call) }
            }
            // A question is another kind of message, which is counted.
            if !call.isAnswered {
                call.cancel()
                line.link.violate("a \(header.kind) frame with the method of a question")
            }
        default: throw CBORError(.typeMismatch, "a child sends none")
        }
    }

    /// Presents a message to the node as the child's interactor would.
    private func present(
        _ header: FrameHeader, _ payload: UnsafeRawBufferPointer, _ call: ChildCall
    ) {
        Audience.addressing(header.audience) {
            parts.presenting.receive(MethodID(rawValue: header.method), payload, call)
        }
    }

    func lineSendsLate(_ line: ChildLine) {}

    func lineEnded(_ line: ChildLine, _ end: ConnectionEnd) {
        guard line === self.line else { return }
        let reason: String? =
            switch end {
            case .closed, .peerClosed, .failed: nil
            case .refused, .violated, .silent: "\(end)"
            }
        perform(machine.hungUp(reason))
    }
}
