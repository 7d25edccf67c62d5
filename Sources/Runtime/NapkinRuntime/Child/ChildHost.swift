// ChildHost: the process of one child: builds its interactor, and connects it with the worker.
//
// Ownership  lives as long as its process.
// Spec       Protocol/CHILD.md

import Glibc
import NapkinCoding
package import NapkinCore
import NapkinProtocol
import NapkinTransport

/// Runs one child, whose node is in the worker.
@MainActor
package final class ChildHost {
    private let builder: any IsolatedBuilder.Type
    private var line: ChildLine?
    private var root: (any LaunchRouting)?
    /// Kept for the interactor, which need not retain its listener.
    private var listener: (any Sendable)?
    private var node: FeatureNode?
    /// The state that the worker has sent, for a durable child.
    private var state: Payload?
    private var recorder: ChildRecorder?
    private var launch: Task<Void, Never>?
    /// The task that builds the child or runs one of its hooks, for which the worker waits.
    private var hook: TaskIdentity?
    /// The states that are sent when the worker has read what was sent before.
    private var late: [MethodID] = []
    private var ended: CheckedContinuation<Void, Never>?
    package let pages = FrontPages()

    /// Connects with the worker over the descriptor of `ProcessRunner`.
    package init(_ builder: any IsolatedBuilder.Type) { self.builder = builder }

    /// Serves until the worker ends the child. Returns the exit code.
    package func run() async -> Int32 {
        ChildProcess.dieWithParent()
        do throws(TransportError) {
            let channel = try Channel.adopt(descriptor: ProcessRunner.descriptor)
            await withCheckedContinuation {
                ended = $0
                line = ChildLine(
                    channel,
                    role: .initiator(
                        Hello(role: .child, client: "child"), towards: .worker),
                    owner: self)
            }
            return EX_OK
        } catch {
            return EX_OSERR
        }
    }

    private func attach(_ start: ChildStart, _ arguments: Payload, on line: ChildLine) {
        launch = Task {
            hook = TaskIdentity.current
            defer { hook = nil }
            do throws(CBORError) {
                let (root, listener) = try await builder.makeRoot(
                    arguments, calling: ListenerPort(line, of: self))
                (self.root, self.listener) = (root, listener)
                let durable = root.core.durable
                if let defect = builder.defect(of: durable) {
                    return line.link.refuse(
                        Refusal(.badRequest, "\(builder.feature) is durable: \(defect)"))
                }
                if let durable {
                    guard let state else {
                        return line.link.refuse(
                            Refusal(
                                .badRequest,
                                "\(builder.feature) is durable, and has been sent no state"))
                    }
                    recorder = try ChildRecorder(
                        durable, of: root.core.node, state, start, on: line, host: self)
                }
                await root.launch(on: self)
                sendLateStates()
                line.send(FrameHeader(.attached))
            } catch {
                line.link.refuse(Refusal(.badRequest, "its arguments cannot be read: \(error)"))
            }
        }
    }

    private func detach(from line: ChildLine) {
        // At once, so that handlers that were just cancelled continue after `willResignActive`
        // has begun, as in the worker.
        Task.immediate {
            await launch?.value
            hook = TaskIdentity.current
            await root?.shutDown()
            hook = nil
            sendLateStates()
            line.send(FrameHeader(.detach))
            recorder?.end()
            await line.handlersReturned()
            sendLateStates()
            line.link.refuse(Refusal(.shuttingDown, "the child has left"))
        }
    }

    /// A handler has ended. Returns the answer to its call.
    private func handlerEnded(_ result: LineResult) -> LineResult {
        recorder?.handlerEnded(result) ?? result
    }

    /// The number of the worker's call for which the running code acts; 0 for none.
    var cause: UInt64 {
        hook != nil && hook == TaskIdentity.current
            ? ChildCall.ofHook : (IncomingCall.origin as? ChildCall)?.number ?? 0
    }

    private func sendState(of node: FeatureNode, _ method: MethodID) {
        guard let payload = node.payload(of: method) else { return }
        line?.send(FrameHeader(.state, method: method.rawValue)) { (writer) throws(CBORError) in
            writer.append(payload.bytes)
        }
    }

    /// Sends the late states, before anything that was presented or called after them.
    private func sendLateStates() {
        guard let node, !late.isEmpty else { return }
        let methods = late
        late = []
        for method in methods { sendState(of: node, method) }
    }
}

extension ChildHost: Stage {
    package var treeRecorder: (any TreeRecorder)? { recorder }

    package func makeNodeID() -> UInt32 { 1 }

    package func apply(_ operations: [StageOperation]) {
        for case .mount(let node) in operations {
            self.node = node
            for state in node.states { sendState(of: node, state.method) }
            for (method, log) in node.logs.entries { sendItems(of: method, log, from: 0) }
        }
    }

    package func stateChanged(of node: FeatureNode, _ method: MethodID) {
        guard line?.link.isSlow == true else { return sendState(of: node, method) }
        if !late.contains(method) { late.append(method) }
    }

    package func logGrew(of node: FeatureNode, _ method: MethodID, by bytes: Int) {
        guard let log = node.logs[method] else { return }
        sendLateStates()
        sendItems(of: method, log, from: log.next - 1)
    }

    private func sendItems(of method: MethodID, _ log: LogWindow, from number: UInt64) {
        log.withItems(from: number) { items in
            for (index, item) in items.encoded.enumerated() {
                var header = FrameHeader(.log, method: method.rawValue)
                let isFirst = log.origin > 0 && items.first + UInt64(index) == log.origin
                if isFirst { header.flags = FrameHeader.beginsAnewFlag }
                line?.send(header) { (writer) throws(CBORError) in writer.append(item) }
            }
        }
    }

    package func effect(
        from node: FeatureNode, _ message: some CrossingMessage, to front: UInt64?
    ) {
        sendLateStates()
        line?.send(FrameHeader(audience: front, .effect, message.method)) {
            (writer) throws(CBORError) in try message.encode(into: &writer)
        }
    }

    package func ask(
        from node: FeatureNode, _ message: some CrossingMessage, of front: UInt64?
    ) async throws(RemoteFault) -> Answer {
        guard let line else { throw RemoteFault(.gone, "\(node.feature) is not mounted") }
        sendLateStates()
        let terms = QuestionTerms.current
        let event = try line.begin(.ask, message.method, audience: front, terms: terms) {
            (writer) throws(CBORError) in try message.encode(into: &writer)
        }
        let answer = try await event.answer()
        guard let terms else { return .payload(answer) }
        do throws(CBORError) {
            return try answer.bytes.withUnsafeBufferPointer { (bytes) throws(CBORError) in
                let (front, result) = try UnsafeRawBufferPointer(bytes).context(ChildCaller?.self)
                terms.answeredBy = front?.front
                return .payload(Payload(Array(result)))
            }
        } catch {
            throw RemoteFault(.unknown, "the answer does not say who has given it: \(error)")
        }
    }
}

extension ChildHost: ChildLineOwner {
    func lineEstablished(_ line: ChildLine) {}

    func line(
        _ line: ChildLine, called header: FrameHeader, _ payload: UnsafeRawBufferPointer
    ) {
        do throws(CBORError) {
            guard header.kind == .event, let node else {
                throw CBORError(.typeMismatch, "nothing takes it")
            }
            let (caller, arguments) = try payload.context(ChildCaller?.self)
            line.run(header, from: caller?.front, replacing: handlerEnded) { call in
                // The worker finds the event by this number after a death. A record must name a
                // session, and this process knows none.
                FlightRecorder.begin(
                    FlightInput(
                        .event, session: "child", node: node.id, feature: node.featureHash,
                        method: header.method, sequence: header.sequence,
                        hash: node.isSecret(header.method) ? 0 : FlightHash.value(of: arguments)),
                    call)
                node.receive(MethodID(rawValue: header.method), arguments, call)
            }
            // Each input has its own stretch.
            recorder?.end()
        } catch {
            line.link.violate("a call: \(error.detail)")
        }
    }

    func line(
        _ line: ChildLine, received header: FrameHeader, _ payload: UnsafeRawBufferPointer
    ) throws(CBORError) {
        switch header.kind {
        case .attach where launch == nil:
            let (start, arguments) = try payload.context(ChildStart.self)
            attach(start, Payload(Array(arguments)), on: line)
        case .detach:
            detach(from: line)
            recorder?.end()
        default: throw CBORError(.typeMismatch, "a worker sends none")
        }
    }

    func line(
        _ line: ChildLine, keeps stretch: ChildStretch, _ body: () -> Void
    ) throws(CBORError) {
        guard launch == nil else { throw CBORError(.typeMismatch, "the child has begun") }
        state = stretch.state
        body()
    }

    func handling(_ cause: IncomingCall?, _ body: () -> Void) {
        body()
        recorder?.end()
    }

    func lineSendsLate(_ line: ChildLine) { sendLateStates() }

    func lineEnded(_ line: ChildLine, _ end: ConnectionEnd) { ended.take()?.resume() }

    /// Sends the child's calls to its parent.
    private final class ListenerPort: EventPort {
        private let line: ChildLine
        private let host: ChildHost

        init(_ line: ChildLine, of host: ChildHost) { (self.line, self.host) = (line, host) }

        func begin(
            _ method: MethodID, _ encode: PayloadEncoder
        ) throws(RemoteFault) -> PendingEvent {
            host.sendLateStates()
            let cause = host.cause
            return try line.begin(.event, method) { (writer) throws(CBORError) in
                try writer.write(cause)
                try encode(&writer)
            }
        }

        func failed(_ method: MethodID, _ fault: RemoteFault) {
            Anomaly.report(.eventFailed(feature: host.builder.feature, method: method, fault))
        }
    }
}
