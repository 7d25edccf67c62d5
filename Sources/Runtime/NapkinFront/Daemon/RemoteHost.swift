// RemoteHost: a host that ssh reaches, and the command to run there.
//
// Invariant  no part of it can become an option of ssh, or more than one word of a shell.
// Spec       ssh(1), ssh_config(5)

package struct RemoteHost: Sendable, CustomStringConvertible {
    /// Bytes of a URL. Chosen: a host's name has at most 253, and a user's 32.
    package static let bytesMax = 512

    /// Whether ssh may prompt the user and write to standard error now; false while a screen is up.
    @MainActor package static var mayAsk: () -> Bool = { true }

    /// The URL: `ssh://[user@]host[:port]`.
    package let text: String
    private let port: Substring?
    /// `[user@]host`, for ssh's configuration to interpret.
    private let destination: String
    /// The remote command, quoted for a shell.
    private let command: String

    package var description: String { text }

    /// Returns `nil` if the text is no such URL. Names consist of ASCII letters, digits and `.`,
    /// `_`, `-` or, for users, `+`, and do not begin with a `-`: ssh substitutes them into commands
    /// of the user's configuration (`ProxyCommand`), which a shell runs.
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

    /// Returns ssh's arguments. Forwardings from the user's configuration are off, as with scp. ssh
    /// ends a line that has been dead for 15 s, which nothing else would notice.
    ///
    /// - Parameter asks: whether ssh may prompt the user, for example for a password.
    package func arguments(asks: Bool) -> [String] {
        var arguments = ["-T", "-x", "-oClearAllForwardings=yes", "-oRemoteCommand=none"]
        arguments += ["-oServerAliveInterval=5", "-oServerAliveCountMax=3"]
        if !asks { arguments.append("-oBatchMode=yes") }
        if let port { arguments += ["-p", String(port)] }
        return arguments + ["--", destination, command]
    }

    /// Returns the word in apostrophes, unless a shell takes it as it is.
    package static func quoted(_ word: String) -> String {
        let isPlain = word.wholeMatch(of: #/[A-Za-z0-9/._+,:@%-]+/#) != nil
        return isPlain ? word : "'" + word.replacing("'", with: #"'\''"#) + "'"
    }
}
