// FrontRoute: the way from a front to the worker that hosts its session.
//
// Spec       Protocol/SPEC.md, section 4 (Connection set-up)

package import NapkinProtocol
package import NapkinTransport

/// Connects a front to its session's worker, whenever the front asks.
@MainActor
package protocol FrontRoute: AnyObject {
    /// Opens one connection, on which the front will shake hands and attach.
    ///
    /// Throws `FrontError`: an error that `isFinal` ends the front; after any other it tries again.
    func connect(_ options: FrontOptions) async throws(FrontError) -> FrontPassage

    /// Whether an attempt under way has reached napkind, so that the worker is waited for.
    var hasReachedDaemon: Bool { get }
}

extension FrontRoute {
    package var hasReachedDaemon: Bool { true }
}

/// One connection to a worker, with the ticket that admits a front.
@MainActor
package struct FrontPassage {
    package let channel: Channel
    package let ticket: String
    /// Called when the connection has ended.
    package let ended: () -> Void
    /// How the worker has died to which the front was attached before, if that is known.
    var death: String?
    /// Finds out more about the end of a connection that the other side closed.
    var explain: Explanation?

    typealias Explanation = @MainActor (FrontError) async -> FrontError

    package init(channel: Channel, ticket: String, ended: @escaping () -> Void = {}) {
        self.channel = channel
        self.ticket = ticket
        self.ended = ended
    }
}

/// A route through napkind, which knows the worker and issues the ticket.
package final class DaemonRoute: FrontRoute {
    private let address: DaemonAddress
    /// The connection over which it is asking, and whether napkind has led to a worker.
    private weak var daemon: DaemonConnection?
    private var isRedirected = false
    /// The turns of the fronts of this process, by where they go.
    private static var turns: [Turns.Key: Turns] = [:]

    package init(_ address: DaemonAddress) {
        self.address = address
    }

    package var hasReachedDaemon: Bool { isRedirected || daemon?.isWelcomed == true }

    package func connect(_ options: FrontOptions) async throws(FrontError) -> FrontPassage {
        let key = Turns.Key(socket: address.socket, app: options.app)
        let turns = Self.turns[key] ?? Turns()
        Self.turns[key] = turns
        await turns.take()
        defer {
            turns.leave()
            if turns.isUnused { Self.turns[key] = nil }
        }
        isRedirected = false
        let daemon = try await turns.daemon(at: address, options.client)
        self.daemon = daemon
        defer { turns.isDone(with: daemon) }
        do throws(FrontError) {
            let redirect = try await daemon.open(
                Open(
                    app: options.app, session: options.session, creates: options.mayCreate,
                    epoch: options.previousEpoch))
            // The worker knows the ticket by now.
            isRedirected = true
            let channel = try await daemon.follow(redirect)
            var passage = FrontPassage(channel: channel, ticket: redirect.ticket)
            passage.death = redirect.death
            passage.explain = daemon.line?.failure
            return passage
        } catch {
            throw await daemon.explained(error)
        }
    }

    /// Connects to the worker of a session, if it belongs to this user.
    package static func channel(
        to redirect: Redirect
    ) async throws(FrontError) -> Channel {
        let channel: Channel
        do throws(TransportError) {
            channel = try await Channel.connect(to: redirect.socket, waitingForSocket: true)
        } catch {
            throw FrontError(
                .disconnected, "the worker of \(redirect.app) cannot be reached: \(error)")
        }
        guard let stranger = PeerCredentials.stranger(channel.peer) else { return channel }
        channel.close()
        throw ConnectFailure.stranger("the worker at \(redirect.socket)", stranger)
    }
}

/// Lets some fronts of this process connect at a time, in the order in which they came: napkind
/// refuses a process that asks for more together, and who was refused waits for much longer. Those
/// that come together share a connection to napkind.
@MainActor
private final class Turns {
    struct Key: Hashable {
        let socket: String
        let app: String
    }

    /// Chosen: a quarter of what napkind works on for a process, and of the tickets that it may
    /// have, since a ticket stays open until the worker has read it.
    private static let most = Limits.requestsMax / 4

    private var taken = 0
    private var waiting: [CheckedContinuation<Void, Never>] = []
    private var daemon: DaemonConnection?

    var isUnused: Bool { taken == 0 }

    func take() async {
        if taken < Self.most {
            taken += 1
        } else {
            await withCheckedContinuation { waiting.append($0) }
        }
    }

    /// Returns a connection for the front whose turn it is; to be followed by `isDone(with:)`.
    func daemon(at address: DaemonAddress, _ client: String) async throws(FrontError)
        -> DaemonConnection
    {
        if let daemon, daemon.isOpen { return daemon }
        let daemon = try await DaemonConnection.begin(to: address, client: client, role: .front)
        // A line to another host is one front's: it follows a redirect.
        if daemon.line == nil, self.daemon?.isOpen != true { self.daemon = daemon }
        return daemon
    }

    func isDone(with daemon: DaemonConnection) {
        if daemon !== self.daemon { daemon.close() }
    }

    /// Ends a turn: the next front has it.
    func leave() {
        guard !waiting.isEmpty else {
            taken -= 1
            if isUnused { daemon?.close() }
            return
        }
        let next = waiting.removeFirst()
        Loop.keepingResumesOnLoop { next.resume() }
    }
}
