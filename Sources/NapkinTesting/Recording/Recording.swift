// Recording: a presenter that keeps what an interactor presents, as typed messages.
//
// Layer      testing.
// Isolation  @MainActor.
// Ownership  whoever tests owns it; the presenter keeps its port, and the port what was presented.

public import NapkinCore
import NapkinFront

/// Stands in for a feature's view.
///
/// ```swift
/// let board = Recording<PitBoard>()
/// let interactor = PitBoardInteractor(presenter: board.presenter, …)
/// await interactor.activate()
/// let count = await board.next { message in
///     if case .presentSections(let sections) = message { sections.count } else { nil }
/// }
/// ```
@MainActor
public final class Recording<F: Feature> {
    /// One method of the presenter and its arguments.
    public typealias Message = F.Presenting.Message

    /// Give this to the interactor.
    public let presenter: F.Presenting.Target
    /// What the view was made with; `nil` when there is no node, only an interactor.
    public let arguments: F.Arguments?
    /// The way to the interactor; `nil` when there is no node.
    public let listener: F.Listening.Target?

    private let port: RecordingPort<F>
    private let context: ViewContext<F>?

    /// A presenter for an interactor that is tested alone.
    public convenience init() {
        self.init(nil)
    }

    init(_ context: ViewContext<F>?) {
        let port = RecordingPort<F>()
        self.port = port
        self.context = context
        arguments = context?.arguments
        listener = context?.listener
        presenter = F.Presenting.sender(to: port)
    }

    /// Everything that has been presented, in order.
    public var messages: [Message] { port.messages }

    /// The newest message for which `match` returns something.
    public func newest<T>(_ match: (Message) -> T?) -> T? {
        for message in messages.reversed() {
            if let found = match(message) { return found }
        }
        return nil
    }

    /// The first message, after those that earlier calls have returned or passed over, for which
    /// `match` returns something; waits for it.
    public func next<T>(_ match: @escaping (Message) -> T?) async -> T {
        while true {
            if let found = port.advance(match) { return found }
            await port.grows()
        }
    }

    /// Calls `note` with each message as it is presented.
    public func onMessage(_ note: @escaping (Message) -> Void) { port.note = note }

    /// Asks that this view be taken away, as its back gesture would; see `EventPort.dismiss()`.
    ///
    /// Throws what that does, and `.gone` when there is no node.
    public func dismiss() async throws(RemoteFault) {
        guard let context else {
            throw RemoteFault(.gone, "the recording of \(F.id) has no node; attach a front")
        }
        try await context.dismiss()
    }

    /// How questions are answered from now on. Without this they fail with `noFront`.
    ///
    /// `answer` returns what the method returns, or throws.
    public func onAsk(_ answer: @escaping (Message) async throws -> any Sendable) {
        port.answer = answer
    }
}

/// Where a recording's presenter puts its messages.
@MainActor
private final class RecordingPort<F: Feature>: PresentPort {
    private(set) var messages: [F.Presenting.Message] = []
    var note: (F.Presenting.Message) -> Void = { _ in }
    var answer: ((F.Presenting.Message) async throws -> any Sendable)?
    /// Messages that readers have not looked at begin here.
    private var position = 0
    private var readers: [CheckedContinuation<Void, Never>] = []

    func state(_ message: some CrossingMessage) { record(message) }

    func effect(_ message: some CrossingMessage) { record(message) }

    func ask(_ message: some CrossingMessage) async throws(RemoteFault) -> Answer {
        let message = record(message)
        guard let answer else {
            throw RemoteFault(.noFront, "the recording of \(F.id) answers no questions")
        }
        do {
            return .value(try await answer(message))
        } catch {
            throw RemoteFault(reporting: error)
        }
    }

    @discardableResult
    private func record(_ message: some CrossingMessage) -> F.Presenting.Message {
        guard let message = message as? F.Presenting.Message else {
            preconditionFailure("\(F.id) does not present \(message)")
        }
        messages.append(message)
        note(message)
        let woken = readers
        readers = []
        for reader in woken { reader.resume() }
        return message
    }

    func advance<T>(_ match: (F.Presenting.Message) -> T?) -> T? {
        for index in messages.indices[position...] {
            guard let found = match(messages[index]) else { continue }
            position = index + 1
            return found
        }
        return nil
    }

    func grows() async {
        await withCheckedContinuation { readers.append($0) }
    }
}
