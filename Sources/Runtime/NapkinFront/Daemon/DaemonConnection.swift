// DaemonConnection: a front's or a tool's connection to napkind.
//
// Ownership  owns its link, the continuations of its requests, and a tool's connections to other
//            machines.
// Spec       Protocol/SPEC.md, section 4 (Connection set-up)

import Glibc
import NapkinCoding
import NapkinCore
package import NapkinProtocol
package import NapkinRuntime
package import NapkinTransport

@MainActor
package final class DaemonConnection {
    private typealias Answer = Result<AnswerPiece, FrontError>

    /// The limit of any wait. Chosen: longer than napkind waits for a worker, 20 s for a kill.
    package static let patience = Duration.seconds(30)
    /// Bytes of one answer, all pieces together. Chosen: enough for a hundred thousand sessions.
    static let answerBytesMax = 256 * 1024 * 1024

    private let socket: String
    private let client: String
    /// The listening process, from the kernel.
    private let pid: Int32?
    let line: RemoteLine?
    private var link: Link?
    private var established: CheckedContinuation<Result<Welcome, FrontError>, Never>?
    private var asked: [UInt64: CheckedContinuation<Answer, Never>] = [:]
    private var sequence: UInt64 = 0
    private var failure: FrontError?
    /// Connections to machines that have sessions which a tool has asked about.
    private var others: [MachineAddress: DaemonConnection] = [:]

    package private(set) var welcome = Welcome(version: .current, server: "", pid: 0)

    private init(
        _ address: DaemonAddress, _ client: String, _ channel: Channel, _ line: RemoteLine?
    ) {
        socket = address.socket
        self.client = client
        pid = line == nil ? channel.peer?.processID : nil
        self.line = line
    }

    /// Connects; starts the daemon if none listens and `address` has a launcher.
    package static func connect(
        to address: DaemonAddress, client: String, role: PeerRole
    ) async throws(FrontError) -> DaemonConnection {
        let connection = try await begin(to: address, client: client, role: role)
        switch await withCheckedContinuation({ connection.established = $0 }) {
        case .success(let welcome): connection.welcome = welcome
        case .failure(let error): throw await connection.explained(error)
        }
        return connection
    }

    /// Connects without waiting for the welcome: the next request leaves with the hello.
    static func begin(
        to address: DaemonAddress, client: String, role: PeerRole
    ) async throws(FrontError) -> DaemonConnection {
        var line: RemoteLine?
        if let host = address.host { line = try await RemoteLine.open(to: host) }
        let channel: Channel
        if let line {
            do throws(FrontError) {
                channel = try line.channel()
            } catch {
                line.close()
                throw error
            }
        } else {
            channel = try await localChannel(to: address)
        }
        let connection = DaemonConnection(address, client, channel, line)
        let hello = Hello(role: role, client: client)
        connection.link = Link(
            channel: channel, role: .initiator(hello, towards: .napkind), delegate: connection)
        return connection
    }

    /// Returns the reason for a failure. Until napkind has sent anything, the line to another host
    /// may know a better one.
    func explained(_ error: FrontError) async -> FrontError {
        guard let line, link?.welcome == nil else { return error }
        return await line.failure(orElse: error)
    }

    var isOpen: Bool { failure == nil }

    var isWelcomed: Bool { link?.welcome != nil }

    /// Connects to a daemon on this host. The socket may be in a shared directory, so a daemon that
    /// belongs to another user, according to the kernel, is refused.
    static func localChannel(to address: DaemonAddress) async throws(FrontError) -> Channel {
        let channel = try await channel(to: address)
        guard let stranger = PeerCredentials.stranger(channel.peer) else { return channel }
        channel.close()
        throw ConnectFailure.stranger("the daemon at \(address.socket)", stranger)
    }

    /// Connects to the daemon. If several clients find none at the same time, one of them starts it
    /// and all connect to it.
    private static func channel(to address: DaemonAddress) async throws(FrontError) -> Channel {
        let start = ContinuousClock.now
        var delays = Backoff()
        var random = SystemRandomNumberGenerator()
        while true {
            do throws(TransportError) {
                return try await Channel.connect(to: address.socket)
            } catch {
                guard error.meansNobodyListens, let launcher = address.launcher else {
                    throw ConnectFailure.unreachable(address.socket, error)
                }
                guard start.duration(to: .now) < .seconds(DaemonLauncher.readySeconds) else {
                    throw ConnectFailure.occupied(launcher)
                }
                guard try await !launcher.start() else { continue }
                // The other daemon is about to listen, or must end first. A cancelled task
                // retries at once.
                try? await Task.sleep(for: delays.next(using: &random))
            }
        }
    }

    // MARK: - Asking

    /// Returns where a session runs, with a ticket to attach to it.
    package func open(_ open: Open) async throws(FrontError) -> Redirect {
        let answer = try await ask(.open) { $0.send($1, value: open) }
        return try Self.reading { () throws(CBORError) in try Payload(answer.bytes).decode() }
    }

    /// Connects to the worker that napkind named. A line to another host then leads to that worker
    /// instead of napkind.
    package func follow(_ redirect: Redirect) async throws(FrontError) -> Channel {
        guard let line else { return try await DaemonRoute.channel(to: redirect) }
        // The relay at the other end reconnects; the stream stays open.
        let channel = try line.channel()
        close()
        return channel
    }

    /// Sends a query; the answer's type belongs to the query.
    package func query<T: Decodable>(
        _ query: Query, _ type: T.Type = T.self, within patience: Duration = patience
    ) async throws(FrontError) -> T {
        try decoded(try await bytes(query, within: patience))
    }

    /// Returns the encoded answer, all pieces joined. If the subject is on another machine, asks
    /// there over ssh, as a front does.
    package func bytes(
        _ query: Query, within patience: Duration = patience
    ) async throws(FrontError) -> [UInt8] {
        var redirection = RedirectStateMachine()
        let answer: Result<[UInt8], FrontError> = try await redirection.following {
            (machine) async throws(FrontError) in
            let daemon =
                if let machine { try await other(machine, for: query) } else { self }
            do throws(FrontError) {
                return .success(try await daemon.ownBytes(query, patience))
            } catch {
                let isThere = error.refusal == .elsewhere
                if isThere || error.machine != nil && query.session != nil { throw error }
                // It may have been executed.
                return .failure(error)
            }
        }
        return try answer.get()
    }

    private func other(
        _ machine: MachineAddress, for query: Query
    ) async throws(FrontError) -> DaemonConnection {
        if let known = others[machine], known.isOpen { return known }
        let new: DaemonConnection
        do throws(FrontError) {
            new = try await Self.connect(
                to: try DaemonAddress.reaching(machine), client: client, role: .tool)
        } catch {
            var error = error
            let subject = query.session.map { "session '\($0)'" } ?? "the app's worker"
            error.message = "\(subject) is on another machine: \(error.message)"
            throw error
        }
        // Another query may have connected meanwhile.
        if let known = others[machine], known.isOpen {
            new.close()
            return known
        }
        if others.count >= RedirectStateMachine.machinesMax {
            for (machine, idle) in others where idle.asked.isEmpty {
                idle.close()
                others[machine] = nil
            }
        }
        others[machine] = new
        return new
    }

    private func ownBytes(
        _ query: Query, _ patience: Duration
    ) async throws(FrontError) -> [UInt8] {
        var piece = try await ask(.query, within: patience) { $0.send($1, value: query) }
        var bytes = piece.bytes
        while piece.cursor != 0 {
            guard bytes.count < Self.answerBytesMax else {
                throw FrontError(
                    .disconnected, "an answer has more than \(Self.answerBytesMax) bytes")
            }
            let more = query.continued(from: piece.cursor)
            piece = try await ask(.query) { $0.send($1, value: more) }
            bytes += piece.bytes
        }
        return bytes
    }

    package func ping() async throws(FrontError) {
        let answer = try await ask(.ping) { $0.send($1, value: true) }
        let _: Bool = try decoded(answer.bytes)
    }

    package func close() {
        link?.close()
        for other in others.values { other.close() }
    }

    private func ask(
        _ kind: FrameKind, within patience: Duration = patience,
        _ send: (Link, FrameHeader) -> Void
    ) async throws(FrontError) -> AnswerPiece {
        if let failure { throw failure }
        sequence += 1
        let number = sequence
        if let link { send(link, FrameHeader(kind, sequence: number)) }
        let deadline = LoopTimer(deadline: patience) { [weak self] in
            self?.overdue(number, after: patience)
        }
        defer { deadline.cancel() }
        return try await withCheckedContinuation { asked[number] = $0 }.get()
    }

    private func overdue(_ number: UInt64, after patience: Duration) {
        guard let continuation = asked.removeValue(forKey: number) else { return }
        let silence = ConnectFailure.silent(socket, pid, for: patience)
        Loop.keepingResumesOnLoop { continuation.resume(returning: .failure(silence)) }
    }

    private func decoded<T: Decodable>(_ bytes: [UInt8]) throws(FrontError) -> T {
        try Self.reading { () throws(CBORError) in try Payload(bytes).decode() }
    }

    private static func reading<T>(_ read: () throws(CBORError) -> T) throws(FrontError) -> T {
        do throws(CBORError) {
            return try read()
        } catch {
            throw FrontError(.disconnected, "napkind sent an unreadable answer: \(error)")
        }
    }
}

extension DaemonConnection: LinkDelegate {
    package func linkEstablished(_ link: Link) {
        guard let welcome = link.welcome else { return }
        Loop.keepingResumesOnLoop { established?.resume(returning: .success(welcome)) }
        established = nil
    }

    package func link(
        _ link: Link, received header: FrameHeader, _ payload: UnsafeRawBufferPointer
    ) {
        guard [.redirect, .answer, .pong, .refused].contains(header.kind) else {
            return link.violate("a frame of the kind \(header.kind) from napkind")
        }
        guard let continuation = asked.removeValue(forKey: header.sequence) else { return }
        let bytes = Array(payload)
        let answer: Answer
        if header.kind == .refused {
            answer = .failure(Self.fault(refused: bytes))
        } else {
            answer = .success(AnswerPiece(bytes: bytes, cursor: header.node))
        }
        Loop.keepingResumesOnLoop { continuation.resume(returning: answer) }
    }

    private static func fault(refused bytes: [UInt8]) -> FrontError {
        do {
            return FrontError(try Payload(bytes).decode())
        } catch {
            return FrontError(.disconnected, "napkind sent an unreadable refusal")
        }
    }

    package func linkEnded(_ link: Link, _ end: ConnectionEnd) {
        let failure: FrontError =
            if link.welcome == nil {
                ConnectFailure.unwelcome(socket, pid, end)
            } else if case .refused(let refusal) = end {
                FrontError(refusal)
            } else {
                FrontError(.disconnected, "the connection to napkind was lost: \(end)")
            }
        self.failure = failure
        line?.close()
        let established = self.established.take()
        let asked = self.asked
        self.asked = [:]
        Loop.keepingResumesOnLoop {
            established?.resume(returning: .failure(failure))
            for continuation in asked.values { continuation.resume(returning: .failure(failure)) }
        }
    }
}

/// How a front finds the daemon.
public struct DaemonAddress: Sendable {
    package var socket: String
    /// The program that starts the daemon; `nil` if the daemon must already be running.
    package var launcher: DaemonLauncher?
    /// The host that ssh connects to, if not this one; `socket` is then its URL, for messages.
    package private(set) var host: RemoteHost?

    package init(socket: String, launcher: DaemonLauncher? = nil) {
        self.socket = socket
        self.launcher = launcher
    }

    /// A daemon on another host. The relay that runs there finds its socket.
    package init(host: RemoteHost) {
        self.init(socket: host.text)
        self.host = host
    }

    /// A daemon on another machine of a cluster. It is not started there, since that would be a
    /// different daemon. `nil` if ssh cannot reach such an address.
    package init?(_ machine: MachineAddress) {
        let socket = machine.socket.map { ["--socket", $0] } ?? []
        let command = ["napkin-client", "relay", "--no-spawn"] + socket
        guard var host = RemoteHost(machine.host, command: command) else { return nil }
        host.isMachine = true
        self.init(host: host)
    }

    static func reaching(_ machine: MachineAddress) throws(FrontError) -> DaemonAddress {
        if let address = DaemonAddress(machine) { return address }
        throw FrontError(
            .badSocket,
            "napkind names a machine that ssh cannot reach: '"
                + machine.host.shortened(to: Limits.echoBytesMax) + "'")
    }
}
