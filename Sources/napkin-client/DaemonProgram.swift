// DaemonProgram: which napkind this client starts, and where its log goes.
//
// Layer      executable.
// Isolation  none of its own.

import Glibc
import NapkinFront
import NapkinTransport

/// The daemon's executable.
enum DaemonProgram {
    static let name = "napkind"

    /// How to start the daemon on the default socket.
    static func launcher() throws(ClientFailure) -> DaemonLauncher {
        let beside = directoryOfThisProgram().map { $0 + "/" + name }
        // A name without a slash is looked for in PATH.
        let executable = beside.flatMap { access($0, X_OK) == 0 ? $0 : nil } ?? name
        return DaemonLauncher(executable: executable, arguments: [], logPath: try logPath())
    }

    private static func directoryOfThisProgram() -> String? {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX) + 1)
        let count = readlink("/proc/self/exe", &buffer, buffer.count - 1)
        guard count > 0 else { return nil }
        let path = String(decoding: buffer[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return path.lastIndex(of: "/").map { String(path[..<$0]) }
    }

    /// `$XDG_STATE_HOME/napkin/napkind.log`, else below `~/.local/state`.
    private static func logPath() throws(ClientFailure) -> String {
        let directory: String
        if let state = variable("XDG_STATE_HOME"), state.hasPrefix("/") {
            directory = state + "/napkin"
        } else if let home = variable("HOME") {
            directory = home + "/.local/state/napkin"
        } else {
            throw ClientFailure(
                ExitTable.cannotCreate,
                "cannot start napkind: neither HOME nor XDG_STATE_HOME says where its log goes; "
                    + "set one, or start napkind yourself")
        }
        do throws(TransportError) {
            try SocketDirectory(path: directory, policy: .chosen).ensure()
        } catch {
            throw ClientFailure(
                ExitTable.cannotCreate,
                "cannot start napkind: its state directory \(directory) cannot be used "
                    + "(\(error.code)); make it writable, or start napkind yourself")
        }
        return directory + "/napkind.log"
    }

    private static func variable(_ name: String) -> String? {
        guard let value = getenv(name), value[0] != 0 else { return nil }
        return String(cString: value)
    }
}
