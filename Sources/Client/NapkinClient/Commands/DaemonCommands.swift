// DaemonCommands: the small commands: kill, detach, rename, ping, version, relay.

import ArgumentParser
import Glibc
import NapkinFront
import NapkinProtocol
import NapkinTransport

struct Kill: ClientCommand {
    static let configuration = CommandConfiguration(
        abstract: "Ends a session and everything in it.",
        discussion: """
            Its fronts are told and end. The app's other sessions keep running.

            If the session's worker does not answer, this is said after some 2 s, and the session \
            ends when it does. --force ends its process with SIGKILL after 2 s, unless other \
            sessions are in it; then it says how many.

            Programs that the session holds go on, and standard error names them. --programs ends \
            them with SIGTERM, and with SIGKILL after 5 s, and removes their output, also those of \
            a session that is gone.

              napkin-client kill rib-house
              napkin-client kill rib-house --force
            """)

    @Argument(help: "The session's name.", completion: .sessions)
    var session: String

    @Flag(help: "End the session's process if its worker does not answer.")
    var force = false

    @Flag(help: "End the programs that the session holds, too.")
    var programs = false

    @OptionGroup var daemon: DaemonOptions

    func perform() async throws(ClientFailure) -> Int32 {
        let status: DaemonStatus = try await daemon.ask(.status)
        // Programs on another machine are listed there.
        let held =
            daemon.host == nil
            ? HeldListing.all(in: status.stateDirectory).filter { $0.session == session } : []
        var wasThere = false
        do throws(ClientFailure) {
            wasThere = try await daemon.ask(.kill(session: session, force: force ? true : nil))
        } catch {
            guard programs, !held.isEmpty, error.refusal == .unknownSession else { throw error }
        }
        guard wasThere || programs && !held.isEmpty else { throw .unknownSession(session) }
        return await HeldListing.endOrReport(
            held, ending: programs,
            advice: "`napkin-client kill \(session) --programs` ends them")
    }
}

struct Detach: ClientCommand {
    static let configuration = CommandConfiguration(
        abstract: "Detaches one front of a session, or all of them.",
        discussion: """
            Each is told and ends; the session keeps running. A front that is temporarily away \
            does not come back either. The outcome of its unanswered events is unknown.

              napkin-client ls                       its fronts, by their numbers
              napkin-client detach rib-house 2
              napkin-client detach rib-house
            """)

    @Argument(help: "The session's name.", completion: .sessions)
    var session: String

    @Argument(
        help: "The front's number. Default: all fronts of the session.", completion: .fronts)
    var front: UInt64?

    @OptionGroup var daemon: DaemonOptions

    func perform() async throws(ClientFailure) -> Int32 {
        let count: Int = try await daemon.ask(.detach(session: session, front: front))
        if count == 0, let front {
            throw .noInput(
                "session \(session) has no front \(front); `napkin-client ls` lists them")
        }
        return 0
    }
}

struct Rename: ClientCommand {
    static let configuration = CommandConfiguration(
        abstract: "Renames a session.",
        discussion: """
            Its fronts stay and learn the new name; a front that is temporarily away finds the \
            session again. The former name becomes free.

              napkin-client rename rib-house lunch
              napkin-client attach rib-house --session lunch
            """)

    @Argument(help: "The session's name.", completion: .sessions)
    var session: String

    @Argument(help: "Its new name: letters, digits and -_.+@, at most 128 bytes.")
    var name: String

    @OptionGroup var daemon: DaemonOptions

    func perform() async throws(ClientFailure) -> Int32 {
        let _: Renaming = try await daemon.ask(.rename(session: session, to: name))
        return 0
    }
}

struct Ping: ClientCommand {
    static let configuration = CommandConfiguration(
        abstract: "Checks whether the daemon answers.",
        discussion: """
            Never starts a daemon: if none runs, the exit status is 69.

              napkin-client ping && echo up || echo down
              napkin-client ping --json | jq .microseconds
            """)

    @OptionGroup var options: ReportOptions

    func perform() async throws(ClientFailure) -> Int32 {
        let connection = try await options.daemon.connect(spawns: false)
        defer { connection.close() }
        let start = ContinuousClock.now
        try await ClientFailure.ofFront { () async throws(FrontError) in
            try await connection.ping()
        }
        let microseconds = (ContinuousClock.now - start) / .microseconds(1)
        let server = connection.welcome
        let answer = PingAnswer(
            server: server.server, pid: server.pid, protocol: "\(server.version)",
            microseconds: Int(microseconds))
        try StandardOutput.put(
            answer, asJSON: options.json,
            or: ["\(answer.server) (process \(answer.pid)) answered in \(answer.microseconds) µs"])
        return 0
    }
}

struct Version: ClientCommand {
    static let configuration = CommandConfiguration(
        abstract: "Prints the versions of the client and of the daemon, if one runs.",
        discussion: """
            Never starts a daemon.

              napkin-client version
              napkin-client version --json | jq -r .client.protocol
            """)

    @OptionGroup var options: ReportOptions

    func perform() async throws(ClientFailure) -> Int32 {
        let server = try await runningServer()
        let daemon =
            server.map { "\($0.server), protocol \($0.version), process \($0.pid)" }
            ?? "napkind: not running"
        try StandardOutput.put(
            Versions(server), asJSON: options.json,
            or: ["\(MainCommand.name), protocol \(ProtocolVersion.current)", daemon])
        return 0
    }

    @MainActor
    private func runningServer() async throws(ClientFailure) -> Welcome? {
        do throws(ClientFailure) {
            let connection = try await options.daemon.connect(spawns: false)
            defer { connection.close() }
            return connection.welcome
        } catch {
            // A daemon that does not run is an answer, not a failure.
            guard error.status == ExitTable.unavailable, options.daemon.socket == nil,
                options.daemon.host == nil
            else { throw error }
            return nil
        }
    }
}

struct Relay: ClientCommand {
    static let configuration = CommandConfiguration(
        abstract: "Connects standard input and output to napkind, for --host.",
        discussion: """
            ssh runs it on the machine that --host names, as the user who has logged in there. It \
            writes one line when it is connected, then what napkind sends; if napkind redirects a \
            front, it continues with the worker. It does not listen on any socket.

              ssh desk napkin-client relay
            """,
        shouldDisplay: false)

    @OptionGroup var daemon: DaemonOptions

    func validate() throws {
        if daemon.host != nil { throw ValidationError("relay is itself the other end of --host") }
    }

    func perform() async throws(ClientFailure) -> Int32 {
        let address = try daemon.address()
        try await ClientFailure.ofFront { () async throws(FrontError) in
            try await LineRelay.run(to: address, input: STDIN_FILENO, output: STDOUT_FILENO)
        }
        return 0
    }
}

private struct PingAnswer: Encodable {
    var server: String
    var pid: Int32
    var `protocol`: String
    var microseconds: Int
}

private struct Versions: Encodable {
    struct Program: Encodable {
        var name: String
        var `protocol`: String
        var pid: Int32?
    }

    var client = Program(name: MainCommand.name, protocol: "\(ProtocolVersion.current)")
    /// The daemon; absent if none runs.
    var daemon: Program?

    init(_ server: Welcome?) {
        daemon = server.map {
            Program(name: $0.server, protocol: "\($0.version)", pid: $0.pid)
        }
    }
}

extension ClientFailure {
    static func unknownSession(_ name: String, known: [String] = []) -> ClientFailure {
        let others =
            known.isEmpty
            ? "`napkin-client ls` lists them" : "there are: " + known.joined(separator: ", ")
        let hint = Suggestion.hint(for: name, among: known)
        return ClientFailure.noInput("there is no session '\(name)'\(hint); \(others)")
    }
}
