// ClientSetupTests: an app's own client says its own names, in help, errors and examples.

import ArgumentParser
import Testing

@testable import NapkinClient

struct ClientSetupTests {
    private let counter = ClientSetup(app: "counter", program: "counter-client")

    /// The commands that are listed, and those within them.
    private static let commands: [any ParsableCommand.Type] =
        [MainCommand.self] + commands(of: MainCommand.self)

    private static func commands(
        of command: any ParsableCommand.Type
    ) -> [any ParsableCommand.Type] {
        command.configuration.subcommands.flatMap { [$0] + commands(of: $0) }
    }

    @Test func `no command's help names another program, or an app that is not there`() {
        #expect(Self.commands.count > 15)
        for command in Self.commands {
            let text = counter.teaching(MainCommand.helpMessage(for: command))
            for word in ["napkin-client", "rib-house", "ribhouse", "didTap"] {
                #expect(!text.contains(word), "\(command): \(text)")
            }
        }
        let help = counter.teaching(MainCommand.helpMessage(columns: 100))
        #expect(help.contains("\n  counter-client attach counter "))
        #expect(help.contains("\n  counter-client send counter FEATURE 'METHOD()'"))
    }

    /// A command of an app that has the name of an inherited one.
    private struct Ls: AppCommand {
        func perform() async throws {}
    }

    @Test func `an app's own command replaces the inherited one, but not for napkin-client`() {
        var setup = ClientSetup(
            app: "counter", commands: [Ls.self], help: "Counts.", program: "counter")
        let own = MainCommand.configuration(with: setup)
        func named(_ configuration: CommandConfiguration) -> [any ParsableCommand.Type] {
            configuration.subcommands.filter { CommandPath.name(of: $0) == "ls" }
        }
        #expect(named(own).count == 1 && named(own)[0] is Ls.Type && own.abstract == "Counts.")
        #expect(own.subcommands.count == MainCommand.configuration.subcommands.count)
        #expect(own.subcommands.first is Ls.Type)
        // Nor in a text, where the app's own one would do something else.
        #expect(
            setup.teaching("  napkin-client ls  fronts; see `napkin-client apps`")
                == "  napkin-client ls  fronts; see `counter apps`")
        setup.takesInherited = true
        let inherited = named(MainCommand.configuration(with: setup))
        #expect(inherited.count == 1 && !(inherited[0] is Ls.Type))
    }

    @Test func `what is behind an example stays in its column`() {
        let text = counter.teaching(
            """
              napkin-client attach rib-house         its screen
              napkin-client ls                       which sessions
              napkin-client kill rib-house  ends it
            --no-spawn              Do not start napkind.
            """)
        #expect(
            text == """
                  counter-client attach counter          its screen
                  counter-client ls                      which sessions
                  counter-client kill counter   ends it
                --no-spawn              Do not start napkind.
                """)
    }

    @Test func `the project's own help is as it is written`() {
        for command in Self.commands {
            let text = MainCommand.helpMessage(for: command)
            #expect(ClientSetup().teaching(text) == text)
        }
    }

    @Test func `an example in a command's help fits into 80 columns, to be copied`() {
        for command in Self.commands {
            for line in command.configuration.discussion.split(separator: "\n") {
                let isExample = line.hasPrefix("  ")
                #expect(!isExample || line.count <= 80, "\(command): \(line)")
            }
        }
    }

    @Test func `a command's help has an example of it`() {
        for command in MainCommand.configuration.subcommands {
            let discussion = command.configuration.discussion
            let name = command._commandName
            guard command.configuration.shouldDisplay else { continue }
            #expect(
                discussion.split(separator: "\n").contains {
                    $0.hasPrefix("  napkin-client \(name)")
                },
                "no example for \(name)")
        }
    }

    @Test func `who can use a page's address is said with it`() throws {
        let proxy = ["--unix", "/run/web.sock", "--origin", "https://desk.example.org"]
        let (here, there) = (try WebOptions.parse([]), try WebOptions.parse(proxy))
        #expect(
            here.advice(isShared: true)
                == "good for everybody on this machine, to look only; others need --unix and "
                + "--origin; served until Ctrl-C")
        for isShared in [false, true] {
            #expect(!there.advice(isShared: isShared).contains("machine"))
        }
    }

    @Test func `an error names this client, and leaves paths and other words alone`() {
        #expect(
            counter.naming("`napkin-client ls` lists them. See napkin-client.")
                == "`counter-client ls` lists them. See counter-client.")
        for text in ["there is no app 'rib-house'", "/usr/bin/napkin-client", "napkin-clients"] {
            #expect(counter.naming(text) == text)
        }
        // A name that has ours in it is not replaced again.
        let mine = ClientSetup(program: "my-napkin-client")
        #expect(mine.naming("`napkin-client ls`") == "`my-napkin-client ls`")
    }
}
