// CharactersServer: the command line of the server.
//
// Isolation  any thread.

import ArgumentParser

@main
struct CharactersServer: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "characters-server",
        abstract: "Serves the characters of the smokehouse to this machine alone.",
        discussion: """
            POST /graphql takes {"query": …, "variables": …} and answers {"data": …, "errors": …};
            GET /portraits/ID.pgm returns a portrait. It can be made slow, or made to send
            garbage, at its start or while it runs:

              characters-server --port 4110 --delay 5
              characters-server control --garbage
              characters-server control            (quick and sound again)
            """,
        subcommands: [Serve.self, Control.self], defaultSubcommand: Serve.self)
}

/// How the server misbehaves.
struct ConductOptions: ParsableArguments {
    @Option(help: "Seconds that each answer takes.")
    var delay: Double = 0

    @Flag(help: "Answer with garbage.")
    var garbage = false

    func validate() throws {
        guard (0...Conduct.delayMax).contains(delay) else {
            throw ValidationError("--delay takes 0 to \(Int(Conduct.delayMax)) seconds")
        }
    }

    var conduct: Conduct { Conduct(delay: delay, isGarbage: garbage) }
}

struct Serve: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Serve until it is ended (the default).")

    @Option(help: "The port to listen on; 0 takes a free one. It is printed.")
    var port: UInt16 = Service.portStandard

    @OptionGroup var options: ConductOptions

    func run() async throws {
        try await Service(conduct: options.conduct).run(port: port)
    }
}

struct Control: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Change how a running server behaves.")

    @Option(help: "The port that it listens on.")
    var port: UInt16 = Service.portStandard

    @OptionGroup var options: ConductOptions

    func run() async throws {
        try await ControlRequest(conduct: options.conduct).send(to: port)
    }
}

/// The reason why the server, or its client, cannot continue.
struct ServerFailure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
