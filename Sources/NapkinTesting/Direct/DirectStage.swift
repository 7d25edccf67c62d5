// DirectStage: a tree and its fronts in one process, with nothing encoded between them but logs,
// whose limits count bytes.
//
// Ownership  keeps its fronts until they leave, and the questions that wait for them.
// Invariant  every front receives the same messages in the same order.

import NapkinCore
import NapkinProtocol

/// Shows one tree to views of this process.
@MainActor
final class DirectStage: Stage {
    private struct Question {
        let node: UInt32
        let message: any CrossingMessage
        let recipient: UInt64?
        var fronts: [DirectFront]
        let continuation: CheckedContinuation<Result<Answer, RemoteFault>, Never>
    }

    private(set) var list: FeatureList
    private(set) var nodes: [(id: UInt32, node: FeatureNode)] = []
    private(set) var fronts: [DirectFront] = []
    private(set) var unseenEffects = 0
    private var questions: [UInt64: Question] = [:]
    /// The answers that arrive while a question is still being asked.
    private var earlyAnswers: [() -> Void]?
    private var lastNode: UInt32 = 0
    private var lastQuestion: UInt64 = 0
    private var lastFront: UInt64 = 0
    let pages = FrontPages()
    let presence: StateCell<[AttachedFront]>

    init(_ features: FeatureList, presence: StateCell<[AttachedFront]>) {
        list = features
        self.presence = presence
    }

    var takesValues: Bool { true }
    var questionCount: Int { questions.count }

    /// Events' handlers that have started and not returned.
    var runningHandlers: Int { nodes.reduce(0) { $0 + $1.node.callCount } }

    /// Returns the mounted node with this number.
    func node(_ id: UInt32) -> FeatureNode? {
        nodes.first { $0.id == id && $0.node.id == id }?.node
    }

    /// What waits for the fronts.
    var queues: SessionQueues {
        SessionQueues(
            asks: questionCount, departedFronts: 0, unseenEffects: unseenEffects,
            fronts: fronts.map { $0.queues(as: $0.number) })
    }

    // MARK: - Fronts

    /// Returns the number of a front that comes for the first time.
    func makeFrontID() -> UInt64 {
        lastFront += 1
        return lastFront
    }

    /// Shows a front all that it may see from now on, when it has its pages.
    func join(_ front: DirectFront) async {
        if !front.isMirror { await pages.joined(front.attached) }
        guard front.isConnected, !fronts.contains(where: { $0 === front }) else { return }
        front.show(
            snapshot: nodes.map { Placed($0.node, as: $0.id) }.filter { front.shows($0.front) })
        fronts.append(front)
        presence.came(front.attached)
        for id in questions.keys.sorted()
        where front.isAskable && front.shows(questions[id]?.recipient) {
            questions[id]?.fronts.removeAll { $0 === front }
            questions[id]?.fronts.append(front)
            if let question = questions[id] { front.ask(id, question.node, question.message) }
        }
    }

    /// A front has left for good: its pages end, those who mirror it, and the questions that only
    /// it was asked.
    func forget(_ front: DirectFront) async {
        let fault = RemoteFault(.noFront, "the last front that could answer has left")
        for id in questions.keys {
            questions[id]?.fronts.removeAll { $0 === front }
            if questions[id]?.fronts.isEmpty == true { end(id, .failure(fault)) }
        }
        for mirror in fronts where mirror.isMirror && mirror.shows(front.number) {
            await mirror.detach()
        }
        await pages.left(front.number)
    }

    /// A front has left, temporarily or for good.
    func left(_ front: DirectFront) {
        fronts.removeAll { $0 === front }
        presence.left(front.number)
    }

    // MARK: - Stage

    func makeNodeID() -> UInt32 {
        lastNode += 1
        return lastNode
    }

    func apply(_ operations: [StageOperation]) {
        var batch: [(operation: DirectFront.Operation, audience: UInt64?)] = []
        var gone: Set<UInt32> = []
        for operation in operations {
            switch operation {
            case .mount(let node):
                node.forgetFormers { number in !nodes.contains { $0.id == number } }
                guard node.isMounted else { continue }
                list.mounted(node)
                nodes.append((node.id, node))
                batch.append((.mount(Placed(node, as: node.id)), node.front))
            case .unmount(let id):
                guard let node = nodes.first(where: { $0.id == id })?.node else { continue }
                gone.insert(id)
                batch.append((.unmount(id), Placed(node, as: id).front))
            }
        }
        remove(&gone)
        let fault = RemoteFault(.gone, "the node that asked is unmounted")
        for (id, question) in questions where gone.contains(question.node) {
            end(id, .failure(fault))
        }
        for front in fronts {
            let own = batch.filter { front.shows($0.audience) }
            if !own.isEmpty { front.apply(own.map(\.operation)) }
        }
    }

    /// Forgets nodes and their descendants, whose numbers it adds. Other nodes that are about to
    /// leave stay until it is their turn.
    private func remove(_ gone: inout Set<UInt32>) {
        guard !gone.isEmpty else { return }
        // Parents come first.
        for (id, node) in nodes
        where gone.contains(node.former(id)?.parent ?? node.parentID) { gone.insert(id) }
        for (id, node) in nodes where gone.contains(id) { node.forgetFormers { $0 == id } }
        nodes.removeAll { gone.contains($0.id) }
    }

    func stateChanged(of node: FeatureNode, _ method: MethodID) {
        guard self.node(node.id) != nil else { return }
        for front in fronts where front.shows(node.front) {
            front.stateChanged(of: node.id, method)
        }
    }

    func logGrew(of node: FeatureNode, _ method: MethodID, by bytes: Int) {
        guard self.node(node.id) != nil else { return }
        for front in fronts where front.shows(node.front) { front.logGrew(of: node.id, method) }
    }

    func effect(
        from node: FeatureNode, _ message: some CrossingMessage, to recipient: UInt64?
    ) {
        let fronts = fronts.filter { $0.shows(recipient) }
        guard !fronts.isEmpty, self.node(node.id) != nil else {
            unseenEffects += 1
            return
        }
        for front in fronts { front.effect(of: node.id, message) }
    }

    // MARK: - Asks

    func ask(
        from node: FeatureNode, _ message: some CrossingMessage, of recipient: UInt64?
    ) async throws(RemoteFault) -> Answer {
        let askable = fronts.filter { $0.isAskable && $0.shows(recipient) }
        guard !askable.isEmpty else {
            throw RemoteFault(.noFront, "no front is attached that could answer \(node.feature)")
        }
        lastQuestion += 1
        let id = lastQuestion
        var outcome: Result<Answer, RemoteFault>?
        var withdrawal: RemoteFault?
        await CallLimit.watch {
            outcome = await withCheckedContinuation { continuation in
                questions[id] = Question(
                    node: node.id, message: message, recipient: recipient, fronts: askable,
                    continuation: continuation)
                pose(id, node.id, message, to: askable)
                if let withdrawal { withdraw(id, by: node, withdrawal) }
            }
        } giveUp: { [self] reason in
            withdrawal = reason
            withdraw(id, by: node, reason)
        }
        guard let outcome else { preconditionFailure("a question ended without an outcome") }
        return try outcome.get()
    }

    /// Asks all fronts before the first answer counts, as if they were in other processes.
    private func pose(
        _ id: UInt64, _ node: UInt32, _ message: any CrossingMessage, to fronts: [DirectFront]
    ) {
        earlyAnswers = []
        for front in fronts { front.ask(id, node, message) }
        let answers = earlyAnswers ?? []
        earlyAnswers = nil
        for answer in answers { answer() }
    }

    private func withdraw(_ id: UInt64, by node: FeatureNode, _ reason: RemoteFault) {
        let gone = RemoteFault(.gone, "the node that asked is unmounted")
        end(id, .failure(questions[id]?.node == node.id ? reason : gone))
    }

    func answered(_ id: UInt64, by front: DirectFront, _ value: any Sendable) {
        let answer = { [self] in end(id, .success(.value(value)), toldBy: front) }
        if earlyAnswers == nil { answer() } else { earlyAnswers?.append(answer) }
    }

    private func end(
        _ id: UInt64, _ outcome: Result<Answer, RemoteFault>, toldBy teller: DirectFront? = nil
    ) {
        guard let question = questions.removeValue(forKey: id) else { return }
        for front in question.fronts where front !== teller { front.askEnded(id) }
        question.continuation.resume(returning: outcome)
    }
}

/// A node as fronts show it: as it was when it was mounted, or until it was retired.
@MainActor
struct Placed {
    let node: FeatureNode
    let id: UInt32
    let parent: UInt32
    let slot: String
    let presentation: Presentation
    /// The only front that shows it; `nil` if all do.
    let front: UInt64?
    let states: [any CrossingMessage]

    init(_ node: FeatureNode, as id: UInt32) {
        self.node = node
        self.id = id
        let former = node.former(id)
        parent = former?.parent ?? node.parentID
        slot = former?.slot ?? node.slot
        presentation = former?.presentation ?? node.presentation
        front = former == nil ? node.front : former?.front
        states = (former?.states ?? node.states).compactMap(\.message)
    }
}
