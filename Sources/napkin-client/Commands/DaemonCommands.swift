// DaemonCommands: the small commands: kill, ping, version.
//
// Layer      executable, commands.
// Isolation  value; performing is @MainActor.

import ArgumentParser
import NapkinFront
import NapkinProtocol

struct Kill: ClientCommand {
    static let configuration = CommandConfiguration(
        abstract: "Ends a session, with everything in it.",
        discussion: """
            The fronts that look on are told and end. The app's other sessions go on.

              napkin-client kill rib-house
            """)

    @Argument(help: "The session's name.")
    var session: String

    @OptionGroup var daemon: DaemonOptions

    @MainActor
    func perform() async throws(ClientFailure) -> Int32 {
        let wasThere: Bool = try await daemon.ask(.kill(session: session))
        guard wasThere else { throw .unknownSession(session) }
        return 0
    }
}

struct Ping: ClientCommand {
    static let configuration = CommandConfiguration(
        abstract: "Asks the daemon whether it is there.",
        discussion: """
              napkin-client ping && echo there
              napkin-client ping --no-spawn || echo not there
            """)

    @OptionGroup var daemon: DaemonOptions

    @MainActor
    func perform() async throws(ClientFailure) -> Int32 {
        let connection = try await daemon.connect()
        defer { connection.close() }
        let start = ContinuousClock.now
        do throws(FrontError) {
            try await connection.ping()
        } catch {
            throw ClientFailure(error)
        }
        let microseconds = (ContinuousClock.now - start) / .microseconds(1)
        let server = connection.welcome
        print("\(server.server) (process \(server.pid)) answered in \(Int(microseconds)) µs")
        return 0
    }
}

struct Version: ClientCommand {
    static let configuration = CommandConfiguration(
        abstract: "Prints the versions of the client and of the daemon, if one runs.",
        discussion: "Never starts a daemon.")

    @OptionGroup var daemon: DaemonOptions

    @MainActor
    func perform() async throws(ClientFailure) -> Int32 {
        print("\(NapkinClient.name), protocol \(ProtocolVersion.current)")
        do throws(ClientFailure) {
            let connection = try await daemon.connect(spawns: false)
            defer { connection.close() }
            let server = connection.welcome
            print("\(server.server), protocol \(server.version), process \(server.pid)")
        } catch {
            // That the daemon does not run is an answer, not a failure.
            guard error.status == ExitTable.unavailable, daemon.socket == nil else { throw error }
            print("napkind: not running")
        }
        return 0
    }
}

extension ClientFailure {
    static func unknownSession(_ name: String, known: [String] = []) -> ClientFailure {
        let hint =
            known.isEmpty
            ? "`napkin-client ls` lists them" : "there are: " + known.joined(separator: ", ")
        return ClientFailure(ExitTable.noInput, "there is no session \(name); \(hint)")
    }
}
