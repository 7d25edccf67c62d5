// HostileProbe: what no peer does that means well, against a real daemon and worker.
//
// Spec       Protocol/FUZZING.md

import ArgumentParser

@main
struct HostileProbe: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "HostileProbe",
        abstract: "Does to a real napkind and its worker what nobody should.",
        subcommands: [Orders.self, Pairs.self, Sizes.self], defaultSubcommand: Orders.self)
}
