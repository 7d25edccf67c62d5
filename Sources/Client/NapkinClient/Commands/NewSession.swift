// NewSession: the command that opens a session and leaves it.

import ArgumentParser
import NapkinCore
import NapkinFront
import NapkinProtocol

struct NewSession: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "new-session", abstract: "Opens a session of an app and leaves it.",
        discussion: """
            It keeps running without a front. If a session of that name exists, nothing happens, \
            and the exit status is 73.

              napkin-client new-session rib-house lunch
              napkin-client attach lunch
            """)

    @Argument(help: "The app's name; `napkin-client apps` lists them.", completion: .apps)
    var app: String

    @Argument(
        help: "Its name: letters, digits and -_.+@, at most 128 bytes. Default: the app's.")
    var session: String?

    @OptionGroup var daemon: DaemonOptions

    func perform() async throws(ClientFailure) -> Int32 {
        let name = session ?? app
        let connection = try await daemon.connect()
        defer { connection.close() }
        let known = try await WorkerAnswers<SessionInfo>(from: connection, daemon)
        let way = "`napkin-client attach \(name)`"
        if let found = known.items.first(where: { $0.session == name }) {
            throw .cannotCreate(
                "there is already a session '\(name)' of \(found.app): \(way) shows it")
        }
        let options = FrontOptions(
            app: app, session: session, client: MainCommand.name, answersAsks: false)
        let run = FrontRun(Front(at: try daemon.address(), options: options))
        let glance = Glance { run.quit() }
        run.front.surface = glance
        try await run.run()
        guard glance.hasSeen else {
            throw .tryAgain("interrupted: session \(name) may not exist")
        }
        try StandardOutput.put(lines: ["session \(name): \(way)"])
        return 0
    }
}

/// Waits for a session's first snapshot.
@MainActor
private final class Glance: Surface {
    private(set) var hasSeen = false
    private let done: () -> Void

    init(done: @escaping () -> Void) { self.done = done }

    func front(_ front: Front, applied changes: [TreeChange]) {
        hasSeen = true
        done()
    }
}
