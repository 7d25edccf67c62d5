// DaemonOptions: the daemon's address, according to the command line.

public import ArgumentParser
import Glibc
import NapkinFront
import NapkinProtocol
import NapkinTransport

/// The options of every command: where the daemon is, and whether to start it. Declare them in an
/// app's own command as `@OptionGroup var daemon: DaemonOptions`.
public struct DaemonOptions: ParsableArguments, Sendable {
    public init() {}

    @Option(
        help: ArgumentHelp(
            "Path of napkind's socket.",
            discussion: "Default: $XDG_RUNTIME_DIR/napkin/napkind.sock, else "
                + "/tmp/napkin-<uid>/napkind.sock. With this option no daemon is started.",
            valueName: "path"),
        completion: .file())
    var socket: String?

    @Option(
        help: ArgumentHelp(
            "Another machine, reached by ssh: ssh://[user@]host[:port].",
            discussion: "May also precede the command. napkin-client must be installed "
                + "there; --socket and --no-spawn then apply there.",
            valueName: "url"))
    var host: String?

    @Flag(name: .customLong("no-spawn"), help: "Do not start napkind when none runs.")
    var noSpawn = false

    /// The options as words of a command line.
    public var words: [String] {
        (host.map { ["--host", $0] } ?? []) + (socket.map { ["--socket", $0] } ?? [])
            + (noSpawn ? ["--no-spawn"] : [])
    }

    /// Returns the socket's path after checking it.
    func path() throws(ClientFailure) -> String {
        try ClientFailure.ofSystem { () throws(TransportError) in
            guard let socket else { return try SocketPath.napkinDefault().text }
            return try SocketPath(socket).text
        }
    }

    /// Returns the daemon's address, with a launcher if it may be started.
    func address(spawns: Bool = true) throws(ClientFailure) -> DaemonAddress {
        if host != nil {
            return DaemonAddress(host: try remoteHost(running: ["relay"], spawns: spawns))
        }
        let path = try path()
        guard spawns, !noSpawn, socket == nil else { return DaemonAddress(socket: path) }
        return DaemonAddress(socket: path, launcher: DaemonProgram.launcherWithLog())
    }

    /// Returns the host of `--host`, which is to run that command of this program.
    func remoteHost(
        running command: [String], spawns: Bool = true
    ) throws(ClientFailure) -> RemoteHost {
        var words = [ClientSetup.ownName] + command
        if socket != nil { words += ["--socket", try path()] }
        if noSpawn || !spawns { words.append("--no-spawn") }
        guard let host = RemoteHost(host ?? "", command: words) else {
            throw .usage(
                "--host takes ssh://[user@]host[:port] with the names that ssh takes, and no '"
                    + (host ?? "").prefix(Limits.echoBytesMax) + "'")
        }
        return host
    }

    /// Runs a command of this program on the host of `--host` in place of this one.
    @MainActor
    func goThere(_ words: [String]) throws(ClientFailure) -> Never {
        let host = try remoteHost(running: words)
        try Self.become(["ssh"] + host.arguments(asks: RemoteHost.mayAsk()))
    }

    /// Replaces this process with another program.
    static func become(_ words: [String]) throws(ClientFailure) -> Never {
        try OwnProgram.become(words[0], words) { reason in
            ClientFailure.noInput("\(words[0]) cannot be started: \(reason)")
        }
    }

    /// Opens a connection for a tool.
    ///
    /// - Parameter launcher: starts the daemon in place of the usual launcher.
    @MainActor
    func connect(
        spawns: Bool = true, with launcher: DaemonLauncher? = nil
    ) async throws(ClientFailure) -> DaemonConnection {
        var address = try address(spawns: spawns)
        if let launcher { address.launcher = launcher }
        let notice = WaitingNotice(for: { "napkind" })
        defer { notice.end() }
        return try await ClientFailure.ofFront { () async throws(FrontError) in
            try await DaemonConnection.connect(to: address, client: MainCommand.name, role: .tool)
        }
    }

    @MainActor
    func ask<T: Decodable>(_ query: Query) async throws(ClientFailure) -> T {
        let daemon = try await connect()
        defer { daemon.close() }
        return try await ask(query, of: daemon)
    }

    @MainActor
    func ask<T: Decodable>(
        _ query: Query, of daemon: DaemonConnection,
        within patience: Duration = DaemonConnection.patience
    ) async throws(ClientFailure) -> T {
        let notice = WaitingNotice(for: { query.whom })
        defer { notice.end() }
        return try await ClientFailure.ofFront { () async throws(FrontError) in
            try await daemon.query(query, T.self, within: patience)
        }
    }
}

/// The options of commands that report something: whether to report it as JSON, and the daemon.
struct ReportOptions: ParsableArguments, Sendable {
    @Flag(help: "Print a JSON object.")
    var json = false

    @OptionGroup var daemon: DaemonOptions
}
