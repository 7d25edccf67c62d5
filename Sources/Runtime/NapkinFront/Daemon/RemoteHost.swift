// RemoteHost: a host that ssh reaches, and what it runs there.
//
// Invariant  no word of it can be an option of ssh, or more than one word of a shell.
// Spec       ssh(1), ssh_config(5)

/// Where ssh leads.
package struct RemoteHost: Sendable, CustomStringConvertible {
    /// Bytes of a URL. Chosen: a host's name has at most 253, and a user's 32.
    package static let bytesMax = 512

    /// Whether ssh may ask the user something and write to standard error now: not over a screen.
    @MainActor package static var mayAsk: () -> Bool = { true }

    /// The URL: `ssh://[user@]host[:port]`.
    package let text: String
    private let port: Substring?
    /// `[user@]host`, for ssh's configuration to interpret.
    private let destination: String
    /// What runs there, for a shell.
    private let command: String

    package var description: String { text }

    /// Returns `nil` if the text is no such URL. Names have ASCII letters, digits and `.`, `_`, `-`
    /// or, for users, `+`, and do not begin with a `-`: ssh puts them into commands of the user's
    /// configuration (`ProxyCommand`), which a shell runs.
    package init?(_ text: String, command: [String]) {
        let pattern =
            #/
            ssh:// ([A-Za-z0-9_.+][A-Za-z0-9_.+-]*@)?
            (?: ([A-Za-z0-9_.][A-Za-z0-9_.-]*) | \[([0-9A-Fa-f:.]+)\] ) (?: :([0-9]{1,5}) )?
            /#
        guard text.utf8.count <= Self.bytesMax,
            let match = text.wholeMatch(of: pattern), let host = match.2 ?? match.3,
            match.4.map({ UInt16($0) ?? 0 > 0 }) ?? true
        else { return nil }
        self.text = text
        port = match.4
        destination = String((match.1 ?? "") + host)
        self.command = command.map(Self.quoted).joined(separator: " ")
    }

    /// Arguments for ssh. As with scp, forwardings of the user's configuration are not for this
    /// connection. A line that has been dead for 15 s ends: nothing else would notice it.
    ///
    /// - Parameter asks: whether ssh may ask the user something, such as a password.
    package func arguments(asks: Bool) -> [String] {
        var arguments = ["-T", "-x", "-oClearAllForwardings=yes", "-oRemoteCommand=none"]
        arguments += ["-oServerAliveInterval=5", "-oServerAliveCountMax=3"]
        if !asks { arguments.append("-oBatchMode=yes") }
        if let port { arguments += ["-p", String(port)] }
        return arguments + ["--", destination, command]
    }

    private static func quoted(_ word: String) -> String {
        let isPlain = word.wholeMatch(of: #/[A-Za-z0-9/._+,:@-]+/#) != nil
        return isPlain ? word : "'" + word.replacing("'", with: #"'\''"#) + "'"
    }
}
