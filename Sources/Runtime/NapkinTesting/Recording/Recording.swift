// Recording: a presenter that keeps the messages that an interactor presents.
//
// Isolation  any thread.
// Ownership  owned by the test; the presenter keeps its port, and the port the messages.

public import NapkinCore
import NapkinFront

/// Replaces a feature's view in a test.
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

    /// The presenter for the interactor.
    public let presenter: F.Presenting.Target
    private let port = RecordingPort<F>()
    /// The context of a node's view.
    private let context: ViewContext<F>?

    /// Creates a presenter for an interactor that is tested without a tree.
    public convenience init() { self.init(context: nil) }

    init(context: ViewContext<F>?) {
        self.context = context
        presenter = F.Presenting.sender(to: port)
    }

    /// The view's arguments; `nil` if there is only an interactor, and no node.
    public var arguments: F.Arguments? { context?.arguments }

    /// Sends events to the interactor; `nil` if there is no node.
    public var listener: F.Listening.Target? { context?.listener }

    /// Everything that has been presented, in order.
    public var messages: [Message] { port.messages }

    /// The gaps reported for the feature's logs, in order.
    public var gaps: [LogGap] { port.gaps }

    /// How often one of the feature's logs has begun anew.
    package var restarts: Int { port.restarts }

    /// Reads items of a gap, as a view does with `ViewContext.items(in:last:)`. Throws `.gone` if
    /// there is no node.
    public func items(
        in gap: LogGap, last count: Int = LogLimits.tail.items
    ) async throws(RemoteFault) -> (items: [Message], before: LogGap?) {
        try await node("has no log to read").items(in: gap, last: count)
    }

    /// Returns the first value of `match` that is not `nil`, searching from the newest message.
    public func newest<T>(_ match: (Message) -> T?) -> T? {
        for message in messages.reversed() {
            if let found = match(message) { return found }
        }
        return nil
    }

    /// Waits for the first message for which `match` returns a value, after the messages that
    /// earlier calls returned or passed over. If none arrives in a minute, the tests end and print
    /// the messages so far.
    public func next<T>(
        _ match: @escaping (Message) -> T?, file: StaticString = #filePath, line: UInt = #line
    ) async -> T {
        if let found = port.advance(match) { return found }
        let watch = WaitLimit.begin(file, line) { [port] in await port.unread }
        defer { watch.cancel() }
        while true {
            await port.grows()
            if let found = port.advance(match) { return found }
        }
    }

    /// Asks the worker to dismiss the view, as a back gesture does with `ViewContext.dismiss()`.
    /// Throws `.gone` if there is no node.
    public func dismiss() async throws(RemoteFault) {
        try await node("cannot be dismissed").dismiss()
    }

    /// Returns the node's context; without a node, throws an error that names `lack`.
    private func node(_ lack: String) throws(RemoteFault) -> ViewContext<F> {
        if let context { return context }
        throw RemoteFault(.gone, "a recording of \(F.id) without a node \(lack)")
    }

    /// Calls `note` with each message as it is presented.
    public func onMessage(_ note: @escaping (Message) -> Void) { port.note = note }

    /// Sets the answers to questions from now on. Without this they fail with `noFront`.
    ///
    /// `answer` returns the method's result, or throws.
    public func onAsk(_ answer: @escaping (Message) async throws -> any Sendable) {
        port.answer = answer
    }
}

/// The port to which a recording's presenter sends its messages.
@MainActor
private final class RecordingPort<F: Feature>: PresentPort {
    private(set) var messages: [F.Presenting.Message] = []
    private(set) var gaps: [LogGap] = []
    private(set) var restarts = 0
    var note: (F.Presenting.Message) -> Void = { _ in }
    var answer: ((F.Presenting.Message) async throws -> any Sendable)?
    /// The first message that `next` has neither returned nor passed over.
    private var position = 0
    private var readers: [CheckedContinuation<Void, Never>] = []

    func state(_ message: some CrossingMessage) { record(message) }

    func effect(_ message: some CrossingMessage) { record(message) }

    func append(_ message: some CrossingMessage, keeping limits: LogLimits) { record(message) }

    func skipped(_ gap: LogGap) { gaps.append(gap) }

    func beginsAnew(_ log: MethodID) { restarts += 1 }

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

    /// The messages that `next` has neither returned nor passed over.
    var unread: String { "\(F.id) presented since: \(messages[position...].map { "\($0)" })" }

    func advance<T>(_ match: (F.Presenting.Message) -> T?) -> T? {
        for index in messages.indices[position...] {
            guard let found = match(messages[index]) else { continue }
            position = index + 1
            return found
        }
        return nil
    }

    func grows() async { await withCheckedContinuation { readers.append($0) } }
}

/// A test's listener: each method notes its own name.
///
/// ```swift
/// final class Parent: RecordingListener, PitBoardListener {
///     let journal = Journal()
///     func pitBoardDidFinish() async { record() }
/// }
/// ```
public protocol RecordingListener: AnyObject, Sendable {
    var journal: Journal { get }
}

extension RecordingListener {
    /// The calls so far, in order.
    public var calls: [String] { journal.lines }

    /// Notes a call, by default the calling method's name.
    public func record(_ call: String = #function) { journal.note(call) }
}

/// The base of a test's routers: each method notes its own name.
///
/// ```swift
/// final class Ways: RecordingRouter<LoggedInInteractor>, LoggedInRouting {
///     func routeToPitBoard() async { record() }
///     func routeFromPitBoard() async { record() }
/// }
/// ```
@MainActor
open class RecordingRouter<InteractorType>: Router<InteractorType> {
    public nonisolated let journal = Journal()

    /// The calls so far, in order.
    public var calls: [String] { journal.lines }

    /// Notes a call, by default the calling method's name.
    public final func record(_ call: String = #function) { journal.note(call) }
}
