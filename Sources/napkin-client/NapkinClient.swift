// NapkinClient: the command line of the client, and what it teaches.
//
// Layer      executable.
// Isolation  value; `perform` is @MainActor.

import ArgumentParser

/// A subcommand: performed on the loop, ends with an exit status.
protocol ClientCommand: ParsableCommand, Sendable {
    @MainActor func perform() async throws(ClientFailure) -> Int32
}

struct NapkinClient: ParsableCommand {
    /// Also said to the daemon, with the program's name, at each connection.
    static let version = "0.1.0"
    static let name = "napkin-client \(version)"

    static let configuration = CommandConfiguration(
        commandName: "napkin-client",
        abstract: "Shows and drives the sessions of napkind.",
        discussion: """
            napkind hosts apps. Each app runs in sessions, which go on when nobody looks; this \
            client attaches to one, shows its screen and sends what you press.

            Try the example app:

              napkin-client attach rib-house         its screen; q leaves it
              napkin-client open rib-house ribhouse://pit-board    waits for your login
              napkin-client ls                       which sessions there are, and who is on them
              napkin-client tree rib-house --watch   what runs inside of one
              napkin-client rename rib-house lunch   gives a session another name
              napkin-client detach lunch 2           detaches its front 2
              napkin-client kill lunch               ends it

            For scripts:

              napkin-client attach rib-house --control   JSON, both ways
              napkin-client attach rib-house --plain     the screen as text
              napkin-client send rib-house rib-house.logged-out 'didTapLogin()'
              napkin-client schema rib-house             what there is to send and to show

            napkind is started when none runs, unless --socket names one or --no-spawn is given.

            \(ExitTable.help)
            """,
        version: "\(name)",
        subcommands: [
            Attach.self, OpenLink.self, Sessions.self, Apps.self, Tree.self, Schema.self, Send.self,
            Detach.self, Rename.self, Kill.self, Ping.self, Version.self,
        ])
}
