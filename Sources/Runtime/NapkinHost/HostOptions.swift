// HostOptions: the command line of napkind, and of an app's program that runs without it.

package import ArgumentParser
import Glibc
import Logging
package import NapkinProtocol

package struct HostOptions: ParsableArguments, Sendable {
    @Option(
        help: ArgumentHelp(
            "The socket to listen on.",
            discussion: "Default: $XDG_RUNTIME_DIR/napkin/napkind.sock, "
                + "else /tmp/napkin-<uid>/napkind.sock. At most 107 bytes.",
            valueName: "path"))
    package var socket: String?

    @Option(
        help: ArgumentHelp(
            "Where locks, logs and durable sessions are kept.",
            discussion: "Default: $XDG_STATE_HOME/napkin, else ~/.local/state/napkin.",
            valueName: "dir"))
    package var stateDir: String?

    @Option(
        help: ArgumentHelp(
            "Where durable sessions are kept: sqlite or postgres:SERVICE.",
            discussion: "Default: sqlite, a file for each worker in the state directory. SERVICE "
                + "is in libpq's pg_service.conf; a connection string or URI does as well. "
                + "`napkin-client ledger migrate` creates the tables.",
            valueName: "store"))
    package var ledger: String?

    @Option(
        help: ArgumentHelp(
            "This machine's name among those that share --ledger's database.",
            discussion: "Default: the host's name.", valueName: "name"))
    package var machine: String?

    @Option(
        help: ArgumentHelp(
            "How ssh reaches this machine from the others and from fronts.",
            discussion: "ssh://[user@]host[:port]; default: ssh://user@host, by their names here. "
                + "Only with --ledger postgres:…",
            valueName: "url"))
    package var address: String?

    @Option(
        help: ArgumentHelp(
            "Write one line, 'ready PATH', to this open descriptor when listening.",
            valueName: "n"))
    package var readyFd: Int32?

    @Option(
        help: ArgumentHelp(
            "trace, debug, info, notice, warning, error or critical.",
            discussion: "Without it, $NAPKIN_LOG_LEVEL, else notice.", valueName: "level"))
    package var logLevel: String?

    @Option(
        name: .customLong("set"),
        help: ArgumentHelp(
            "Set an app's setting, instead of the value in its file.",
            discussion: "May be given more than once. The file is "
                + "$XDG_CONFIG_HOME/napkin/APP.yaml, else ~/.config/napkin/APP.yaml. Anyone who "
                + "may list processes sees the value.",
            valueName: "app.key=value"))
    package var settings: [String] = []

    package init() {}

    /// Where durable sessions are kept.
    package var ledgerBackend: LedgerBackend { LedgerBackend(ledger) ?? .files }

    /// The machine's name in the cluster of its database.
    package var machineName: String { machine ?? Self.hostName }

    /// How ssh reaches the machine.
    package var machineAddress: String {
        let user = getpwuid(getuid()).map { String(cString: $0.pointee.pw_name) + "@" } ?? ""
        return address ?? "ssh://\(user)\(Self.hostName)"
    }

    package static var hostName: String {
        var bytes = [CChar](repeating: 0, count: 65)
        gethostname(&bytes, bytes.count - 1)
        return String(
            decoding: bytes.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    /// The lowest level that is logged.
    package var logLevelName: String {
        let named = getenv("NAPKIN_LOG_LEVEL").map { String(cString: $0) } ?? ""
        return logLevel ?? (named.isEmpty ? Logger.Level.notice.rawValue : named)
    }

    package func validate() throws {
        if let objection = LogLevel.objection(to: logLevelName) { throw ValidationError(objection) }
        if let objection = LedgerBackend.objection(to: ledger) { throw ValidationError(objection) }
        if let machine, !Name.isValid(machine) {
            throw ValidationError("--machine needs letters, digits, '-', '_' and '.'")
        }
        if let address, !address.hasPrefix("ssh://") {
            throw ValidationError("--address needs ssh://[user@]host[:port]")
        }
        if let readyFd, readyFd < 0 {
            throw ValidationError("--ready-fd needs the number of an open descriptor")
        }
    }

    /// Returns the words of `--set` by app.
    package func settings(by apps: [String]) throws(StartError) -> [String: [String]] {
        var found: [String: [String]] = [:]
        for word in settings {
            // Of `jobs` and `jobs.night`, the longer one wins.
            let app = apps.filter { word.hasPrefix($0 + ".") }.max { $0.count < $1.count }
            guard let app else {
                let known = apps.joined(separator: ", ")
                throw StartError(
                    EX_USAGE,
                    "--set \(word): it names no app: use APP.KEY=VALUE, where APP is one of "
                        + known)
            }
            found[app, default: []].append(word)
        }
        return found
    }

    /// The directory to which relative paths belong, with a slash at its end.
    package static var currentDirectory: String {
        guard let path = getcwd(nil, 0) else { return "" }
        defer { free(path) }
        return String(cString: path) + "/"
    }
}
