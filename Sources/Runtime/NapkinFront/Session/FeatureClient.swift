// FeatureClient: one feature of a session, for a program without a screen.
//
// Ownership  owned by the program; the registry and the node's view hold it weakly. Keeps the
//            newest state of each method, as a view would.

public import NapkinCore
import NapkinTransport

/// Sends a feature's events and reads its states.
///
/// ```swift
/// let cart = FeatureClient(Cart.self, in: front.registry)
/// let total = try await front.visit {
///     try await cart.listener.apply(coupon: coupon)
///     return try await cart.state { message in
///         if case .presentContents(let contents) = message { contents.totalCents } else { nil }
///     }
/// }
/// ```
///
/// It is the feature's view in this front, so it replaces any other in the registry. It ignores
/// effects and leaves questions to other fronts. If the feature is mounted more than once, it
/// follows the newest node.
@MainActor
public final class FeatureClient<F: Feature> {
    /// One method of the presenter and its arguments.
    public typealias Message = F.Presenting.Message

    private var shown: ViewContext<F>?
    /// The port that receives the newest node's states.
    private weak var newest: StatePort<F>?
    /// The newest message of each method, oldest first.
    private var states: [Message] = []
    /// Counts changes, to wake waiting tasks.
    private let changes = StateCell(0)

    /// Registers the feature. Call it before the front attaches.
    public init(_ feature: F.Type, in registry: ViewRegistry) {
        registry.register(F.self) { [weak self] context in
            let port = StatePort<F>(self)
            self?.newest = port
            self?.states = []
            self?.shown = context
            self?.changes.value += 1
            return F.Presenting.sender(to: port)
        }
    }

    /// Sends events. Waits until the feature has been mounted; a node that has been unmounted since
    /// answers with `.gone`.
    ///
    /// Throws `.disconnected` if the task is cancelled first, as it is when the front ends. States
    /// that an event's handler presented can be read when the event returns.
    public var listener: F.Listening.Target {
        get async throws(FrontError) { try await first { $0.shown?.listener } }
    }

    /// The arguments with which the view was mounted. Waits and throws as `listener` does.
    public var arguments: F.Arguments {
        get async throws(FrontError) { try await first { $0.shown?.arguments } }
    }

    /// Returns the result of `match` for the newest state for which it is not `nil`; waits until
    /// there is one. Throws as `listener` does.
    public func state<T>(_ match: (Message) -> T?) async throws(FrontError) -> T {
        try await first { client in
            for message in client.states.reversed() {
                if let found = match(message) { return found }
            }
            return nil
        }
    }

    private func first<T>(_ find: (FeatureClient) -> T?) async throws(FrontError) -> T {
        for await _ in changes.values {
            if let found = find(self) { return found }
        }
        throw FrontError(.disconnected, "the front ended before \(F.id) showed what was waited for")
    }

    fileprivate func keep(_ message: some CrossingMessage, of port: StatePort<F>) {
        guard port === newest, let message = message as? Message else { return }
        states.removeAll { $0.method == message.method }
        states.append(message)
        changes.value += 1
    }
}

/// The port that passes a node's presented messages to the feature client.
@MainActor
private final class StatePort<F: Feature>: PresentPort {
    private weak var client: FeatureClient<F>?

    init(_ client: FeatureClient<F>?) { self.client = client }

    func state(_ message: some CrossingMessage) { client?.keep(message, of: self) }

    func effect(_ message: some CrossingMessage) {}

    func append(_ message: some CrossingMessage, keeping limits: LogLimits) {}

    func ask(_ message: some CrossingMessage) async throws(RemoteFault) -> Answer {
        throw RemoteFault(.noFront, "nobody looks at this front of \(F.id)")
    }
}

extension Front {
    /// Attaches, runs `body`, and leaves the session, which continues.
    ///
    /// Throws the errors of `body`. If the front cannot attach, or is refused, `body`'s task is
    /// cancelled and the `FrontError` is thrown. The front reconnects meanwhile. Call it
    /// once, in place of `run()`.
    public func visit<T: Sendable>(
        _ body: @escaping @MainActor () async throws -> T
    ) async throws -> T {
        let visit = Task { try await body() }
        let stay = Task {
            let end = await run()
            visit.cancel()
            return end
        }
        let result = await withTaskCancellationHandler {
            await visit.result
        } onCancel: {
            visit.cancel()
        }
        detach()
        if case .failed(let error) = await stay.value, case .failure = result { throw error }
        return try result.get()
    }
}

extension DaemonAddress {
    /// The default socket of napkind, which must be running.
    ///
    /// - Throws: `.badSocket` if the path would be too long.
    public static func standard() throws(FrontError) -> DaemonAddress {
        do throws(TransportError) {
            return DaemonAddress(socket: try SocketPath.napkinDefault().text)
        } catch {
            throw FrontError(.badSocket, "\(error)")
        }
    }
}
