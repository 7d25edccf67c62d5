// MainCommand: the client's command line and its help.

import ArgumentParser
import NapkinProtocol

/// A subcommand that runs on the loop and ends with an exit status.
protocol ClientCommand: ParsableCommand, Sendable {
    @MainActor func perform() async throws(ClientFailure) -> Int32
}

struct MainCommand: ParsableCommand {
    /// The program's name and version, which every connection sends to the daemon.
    static var name: String { "\(ClientSetup.current.program) \(NapkinVersion.text)" }

    static var configuration: CommandConfiguration {
        configuration(with: ClientSetup.current)
    }

    /// The app's own commands, then the inherited ones that no own command replaces.
    static func configuration(with setup: ClientSetup) -> CommandConfiguration {
        var configuration = inherited
        if let help = setup.help {
            let end = help.firstRange(of: "\n\n")
            configuration.abstract = String(help[..<(end?.lowerBound ?? help.endIndex)])
            configuration.discussion = String(help[(end?.upperBound ?? help.endIndex)...])
        }
        guard !setup.ownCommands.isEmpty else { return configuration }
        let names = Set(setup.ownCommands.map(CommandPath.name))
        let others = inherited.subcommands.filter { !names.contains(CommandPath.name(of: $0)) }
        configuration.subcommands = setup.ownCommands
        configuration.groupedSubcommands = [CommandGroup(name: "napkin", subcommands: others)]
        return configuration
    }

    static let inherited = CommandConfiguration(
        commandName: "napkin-client",
        abstract: "Shows and drives the sessions of napkind.",
        discussion: """
            napkind hosts apps. Each app runs in sessions, which keep running when no front is \
            attached; this client attaches to one, shows its screen and sends your input.

            On a terminal, the name alone shows a dashboard: apps, sessions, fronts, and of each \
            session its tree, calls, messages and output, live. `?` lists its keys.

            Try the example app of the sources (`make install-examples`):

              napkin-client                          the dashboard
              napkin-client attach rib-house         its screen; q quits
              napkin-client web rib-house            the same in a browser
              napkin-client share rib-house --read-only    an address for others, to look
              napkin-client new-session rib-house brunch    another session
              napkin-client open rib-house ribhouse://pit-board    waits for your login
              napkin-client ls                       the sessions and their fronts
              napkin-client tree rib-house --watch   its features, live
              napkin-client top                      calls, and how long they take
              napkin-client trace rib-house          messages as they pass
              napkin-client logs rib-house --follow  its worker's output
              napkin-client export --otlp URL        metrics and traces, to a collector
              napkin-client status                   what is running, and what is wrong
              napkin-client rename rib-house lunch   renames a session
              napkin-client detach lunch 2           detaches its front 2
              napkin-client kill lunch               ends it
              napkin-client ledger ls                the stored sessions
              napkin-client stop rib-house           ends its worker, until `start`
              napkin-client --host ssh://desk ls     any of these, on another machine
              napkin-client machines                 the machines that share sessions

            For scripts:

              napkin-client attach rib-house --control   JSON, both ways
              napkin-client attach rib-house --plain     the screen as text
              napkin-client send rib-house rib-house.logged-out 'didTapLogin()'
              napkin-client schema rib-house             its events and states

            To write an app:

              napkin-client new app Counter              a package that builds and runs
              napkin-client new feature History          in it: a feature of the app
              napkin-client preview counter              its views, as you write them
              napkin-client install counter.json         installs it for this user
              napkin-client upgrade counter              starts what you have built

            napkind is started when none runs, unless --socket names one or --no-spawn is given.

            \(ExitTable.help)
            """,
        version: "napkin-client \(NapkinVersion.text)",
        subcommands: [
            Attach.self, NewSession.self, OpenLink.self, Web.self, Share.self, Sessions.self,
            Apps.self, Tree.self, Top.self, Trace.self, Export.self, Logs.self,
            LogLevelCommand.self, Status.self, Doctor.self, Crash.self, Schema.self,
            Send.self, Detach.self, Rename.self, Kill.self, Start.self, Stop.self, Restart.self,
            Upgrade.self, Machines.self, Drain.self, Install.self, Uninstall.self, Ledger.self,
            Ping.self,
            Version.self, New.self, PreviewCommand.self, Completion.self, Relay.self,
        ])
}
