// DaemonName: the name of this executable in help, in errors and for its peers.
//
// Layer      daemon.
// Isolation  @MainActor.
// Invariant  written once, by `Napkind.main`, before a command is parsed.

import NapkinProtocol
import NapkinTransport

/// The name that a composition root has given to `Napkind.main`.
@MainActor
enum DaemonName {
    static var current = SocketDirectory.napkind

    /// The name that fronts and tools receive when they connect.
    static var server: String { "\(current) \(NapkinVersion.text)" }

    /// Returns a sentence with the name in it.
    static func naming(_ text: String) -> String {
        ProgramNames([(SocketDirectory.napkind, current)]).inSentence(text)
    }

    /// Returns help with the name in it. The name of an app's client is not known here.
    static func teaching(_ text: String) -> String {
        guard current != SocketDirectory.napkind else { return text }
        let example = "  napkin-client attach rib-house       attach a terminal to an app"
        // A line of help, or of a description's string.
        let rest = text.replacing("\n" + example, with: "").replacing("\\n" + example, with: "")
        return ProgramNames([
            ("/napkin/napkind.sock", "/napkin/\(current)/\(current).sock"),
            ("/napkind.sock", "/\(current)/\(current).sock"),
            ("_STATE_HOME/napkin", "_STATE_HOME/napkin/\(current)"),
            ("/.local/state/napkin", "/.local/state/napkin/\(current)"),
            (SocketDirectory.napkind, current),
        ]).inHelp(rest)
    }
}
