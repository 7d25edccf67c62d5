// ControlFront: the scriptable front: one JSON object per line, in both directions.
//
// Ownership  owns its input; the front holds its surface weakly.
// Invariant  events leave in the order of their lines; at most `window` of them are outstanding.
// Spec       ARCHITECTURE.md (the command line)
//
// The end of the input and `{"t":"detach"}` both end the front once the earlier events have
// replies. Input is read only after the first snapshot, so that a script may write at once.

import Glibc
import NapkinCore
import NapkinFront
import NapkinProtocol
import NapkinTransport

@MainActor
final class ControlFront {
    /// Unsent events above which reading pauses. Chosen: several windows of credit.
    static let waitingEventsMax = 1024

    private let front: Front
    private let output: StandardOutput
    private let end: () -> Void
    private var schemas: [FeatureSchema] = []
    private var welcomes = 0

    private lazy var input = LineReader { [weak self] in
        self?.received($0)
    } ended: { [weak self] in
        self?.inputEnded = true
        self?.endIfDone()
    }
    private var hasBegun = false
    private var inputEnded = false
    private var hasEnded = false
    private var waiting: [ControlEvent] = []
    private var outstanding = 0
    private var questions = OpenQuestions()
    /// Whether the worker is currently reported as silent.
    private var workerIsSilent = false

    /// - Parameter end: called once, when the input has ended, every event has its reply, and the
    ///   reader has read all of the output.
    init(front: Front, output: StandardOutput, end: @escaping () -> Void) {
        self.front = front
        self.output = output
        self.end = end
        front.surface = self
        front.watchesWorker = true
    }

    /// Reports that the other side has ended the front.
    func ended(because reason: String) {
        say(ControlLine("disconnected").adding("reason", reason))
    }

    /// Reports that another client has detached the front.
    func detached(because reason: String) {
        say(ControlLine("detached").adding("reason", reason))
    }

    private func say(_ line: ControlLine) {
        // Lines after the last reply would only make a slow reader's client wait.
        if !hasEnded { output.write(line.printable) }
    }

    // MARK: - Input

    private func endIfDone() {
        guard inputEnded, !hasEnded, waiting.isEmpty, outstanding == 0 else { return }
        hasEnded = true
        // A reader that pauses still gets every reply.
        output.whenEmpty(end)
    }

    private func received(_ line: InputLines.Line) {
        do throws(ControlMistake) {
            switch try ControlInput(line) {
            case .event(let event):
                waiting.append(event)
                sendWaiting()
                if waiting.count > Self.waitingEventsMax { input.pause() }
            case .answer(let id, let value):
                answer(id, value)
            case .detach:
                input.finish()
            }
        } catch {
            say(
                error.isAnswer
                    ? .refused(answerTo: error.id, code: ControlMistake.code, error.message)
                    : .reply(error.id, code: ControlMistake.code, error.message))
        }
    }

    private func answer(_ id: UInt64, _ value: [UInt8]) {
        do throws(OpenQuestions.Mistake) {
            try questions.answer(id, value)
            front.answer(id, Payload(value))
        } catch {
            say(.refused(answerTo: Array("\(id)".utf8), code: error.code, error.message))
        }
    }

    // MARK: - Events

    /// Sends as many events as the window allows, so that no call blocks and none overtakes
    /// another.
    private func sendWaiting() {
        let window = max(1, front.attached?.window ?? 1)
        while outstanding < window, !waiting.isEmpty {
            start(waiting.removeFirst())
        }
        if waiting.count <= Self.waitingEventsMax / 2, hasBegun { input.start() }
    }

    private func start(_ event: ControlEvent) {
        outstanding += 1
        dispatch { [self] in
            do throws(RemoteFault) {
                let address = try EventAddress(event, in: front.tree, schemas)
                say(.reply(event.id, try await front.send(address)))
            } catch {
                say(.reply(event.id, error))
            }
            outstanding -= 1
            if !waiting.isEmpty { sendWaiting() }
            endIfDone()
        }
    }
}

extension ControlFront: Surface {
    func front(_ front: Front, attached: Attached) {
        var line = ControlLine("welcome").adding("app", attached.app)
            .adding("session", attached.session).adding("front", attached.front)
            .adding("epoch", attached.epoch)
            .adding("readOnly", front.options.isReadOnly).adding("resumed", welcomes > 0)
        if let receipt = attached.takenBack { line = line.adding("takenBack", receipt) }
        say(line)
        welcomes += 1
    }

    func front(_ front: Front, resumedLosing lost: Int) {
        say(
            ControlLine("resumed").adding("lost", lost).adding("death", front.workerDeath)
                .adding("receipt", front.workerReceipt))
    }

    func front(_ front: Front, applied changes: [TreeChange]) {
        schemas = front.schemas
        for change in changes {
            switch change {
            case .mounted(let node):
                say(
                    ControlLine("mount").adding("node", node.id).adding("parent", node.parent)
                        .adding("slot", node.slot).adding("feature", node.feature.rawValue)
                        .adding("args", node.arguments))
                for state in node.states { present("state", state.method, node, state.payload) }
            case .unmounted(let node):
                say(ControlLine("unmount").adding("node", node.id))
            }
        }
        guard !hasBegun else { return }
        hasBegun = true
        input.start()
    }

    func front(
        _ front: Front, presented method: MethodID, of node: FrontNode, _ payload: Payload
    ) {
        present("state", method, node, payload)
    }

    func front(
        _ front: Front, effect method: MethodID, of node: FrontNode,
        _ payload: UnsafeRawBufferPointer
    ) {
        present("effect", method, node, Payload(Array(payload)))
    }

    func front(
        _ front: Front, appended items: LogItems, to method: MethodID, of node: FrontNode,
        after gap: LogGap?
    ) {
        let line = { (type: String) in
            ControlLine(type).adding("node", node.id).adding("feature", node.feature.rawValue)
                .adding("key", self.key(of: method, node))
        }
        if items.beginsAnew { say(line("anew")) }
        if let gap {
            say(
                line("gap").adding("from", gap.items.lowerBound)
                    .adding("to", gap.items.upperBound).adding("kept", gap.readable))
        }
        for (index, payload) in items.payloads.enumerated() {
            say(
                line("item").adding("number", items.first + UInt64(index))
                    .adding("value", payload))
        }
    }

    func front(_ front: Front, skippedStates states: Int, effects: Int) {
        say(ControlLine("skipped").adding("states", states).adding("effects", effects))
    }

    func front(
        _ front: Front, asks id: UInt64, _ method: MethodID, of node: FrontNode, _ payload: Payload
    ) {
        questions.asked(id, schema(of: method, node))
        say(
            ControlLine("ask").adding("id", id).adding("node", node.id)
                .adding("key", key(of: method, node)).adding("value", payload))
    }

    func front(_ front: Front, askEnded id: UInt64, answeredBy: String?) {
        questions.ended(id)
        say(ControlLine("askEnded").adding("id", id).adding("answeredBy", answeredBy))
    }

    /// Reports once that the worker does not answer, and once that it answers again.
    func front(_ front: Front, waits wait: FrontWait?) {
        let isSilent = wait?.subject == .worker
        guard isSilent != workerIsSilent else { return }
        workerIsSilent = isSilent
        say(ControlLine(isSilent ? "waiting" : "answering"))
    }

    func front(_ front: Front, disconnected reason: String) {
        questions.removeAll()
        workerIsSilent = false
        say(ControlLine("disconnected").adding("reason", reason))
    }

    func front(_ front: Front, renamed session: String) {
        say(ControlLine("renamed").adding("session", session))
    }

    private func present(
        _ type: String, _ method: MethodID, _ node: FrontNode, _ payload: Payload
    ) {
        say(
            ControlLine(type).adding("node", node.id).adding("feature", node.feature.rawValue)
                .adding("key", key(of: method, node)).adding("value", payload))
    }

    /// Returns the method's name, or `#` and its number if the schema lacks it.
    private func key(of method: MethodID, _ node: FrontNode) -> String {
        if let schema = schema(of: method, node) { return schema.key }
        return method == .tabs ? "tabs" : "#\(method.rawValue)"
    }

    private func schema(of method: MethodID, _ node: FrontNode) -> MethodSchema? {
        schemas.first { $0.feature == node.feature.rawValue }?.presents.first { $0.id == method }
    }
}
