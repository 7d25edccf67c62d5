// FrontRoute: the way from a front to the worker that hosts its session.
//
// Spec       Protocol/SPEC.md, section 4 (Connection set-up)

import NapkinCore
package import NapkinProtocol
package import NapkinTransport

@MainActor
package protocol FrontRoute: AnyObject {
    /// Opens one connection, on which the front shakes hands and attaches.
    ///
    /// Throws `FrontError`: if it `isFinal`, the front ends; otherwise the front tries again.
    func connect(_ options: FrontOptions) async throws(FrontError) -> FrontPassage

    /// The peer that the current attempt waits for, in words.
    func awaited(for app: String) -> String
}

extension FrontRoute {
    package func awaited(for app: String) -> String { FrontWait.worker(of: app) }
}

/// One connection to a worker, with the ticket that admits a front.
@MainActor
package struct FrontPassage {
    package let channel: Channel
    package let ticket: String
    /// Called when the connection has ended.
    package let ended: () -> Void
    /// The cause of death of the previous worker, if known.
    var death: String?
    /// The number of that death's receipt.
    var receipt: UInt64?
    /// Explains the end of a connection that the other side closed.
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
    private var redirection = RedirectStateMachine()
    /// The machine to ask; `nil` for the one of `address`.
    private var machine: MachineAddress?
    /// The connection that carries the request, and whether napkind has named a worker.
    private weak var daemon: DaemonConnection?
    private var isRedirected = false
    /// The queues of this process's fronts, by destination.
    private static var turns: [Turns.Key: Turns] = [:]

    package init(_ address: DaemonAddress) { self.address = address }

    package func awaited(for app: String) -> String {
        if isRedirected || daemon?.isWelcomed == true { return FrontWait.worker(of: app) }
        return machine.map { "napkind at \($0.host)" } ?? "napkind"
    }

    package func connect(_ options: FrontOptions) async throws(FrontError) -> FrontPassage {
        // The other machines that this napkind names are for the next attempt.
        var (redirection, known): (RedirectStateMachine, [MachineAddress]) = (self.redirection, [])
        defer {
            redirection.arrived(knowing: known)
            self.redirection = redirection
        }
        return try await redirection.following { (machine) async throws(FrontError) in
            let address = try machine.map(DaemonAddress.reaching) ?? self.address
            self.machine = machine
            let (passage, machines) = try await connect(options, at: address)
            known = machines
            return passage
        }
    }

    private func connect(
        _ options: FrontOptions, at address: DaemonAddress
    ) async throws(FrontError) -> (FrontPassage, machines: [MachineAddress]) {
        let key = Turns.Key(socket: address.socket, app: options.app)
        let turns = Self.turns[key] ?? Turns()
        Self.turns[key] = turns
        await turns.take()
        defer {
            turns.leave()
            if turns.isUnused { Self.turns[key] = nil }
        }
        (isRedirected, self.daemon) = (false, nil)
        let daemon = try await turns.daemon(at: address, options.client)
        self.daemon = daemon
        defer { turns.isDone(with: daemon) }
        do throws(FrontError) {
            let redirect = try await daemon.open(
                Open(
                    app: options.app, session: options.session, creates: options.mayCreate,
                    epoch: options.previousEpoch))
            // The worker already knows the ticket.
            isRedirected = true
            let channel = try await daemon.follow(redirect)
            var passage = FrontPassage(channel: channel, ticket: redirect.ticket)
            (passage.death, passage.receipt) = (redirect.death, redirect.receipt)
            passage.explain = daemon.line?.failure
            return (passage, redirect.machines ?? [])
        } catch {
            throw await daemon.explained(error)
        }
    }

    /// Connects to the worker of a session, if it belongs to this user.
    package static func channel(to redirect: Redirect) async throws(FrontError) -> Channel {
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

/// Admits this process's fronts to napkind a few at a time, in order of arrival. napkind refuses
/// further simultaneous requests of a process, and a refused front waits much longer. Fronts that
/// are admitted together share a connection to napkind.
@MainActor
private final class Turns {
    struct Key: Hashable {
        let socket: String
        let app: String
    }

    /// Chosen: a quarter of a process's quota of requests and of tickets at napkind, since a ticket
    /// stays open until the worker has read it.
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

    /// Returns a connection when the front's turn comes; follow with `isDone(with:)`.
    func daemon(at address: DaemonAddress, _ client: String) async throws(FrontError)
        -> DaemonConnection
    {
        if let daemon, daemon.isOpen { return daemon }
        let daemon = try await DaemonConnection.begin(to: address, client: client, role: .front)
        // A line to another host cannot be shared: it follows its front's redirect.
        if daemon.line == nil, self.daemon?.isOpen != true { self.daemon = daemon }
        return daemon
    }

    func isDone(with daemon: DaemonConnection) {
        if daemon !== self.daemon { daemon.close() }
    }

    /// Ends a turn and starts the next front's.
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
