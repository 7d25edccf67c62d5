// Tree: the command that shows what runs inside of a session.
//
// Layer      executable, commands.
// Isolation  value; performing is @MainActor.

import ArgumentParser
import Glibc
import NapkinFront
import NapkinProtocol
import NapkinTransport

struct Tree: ClientCommand {
    static let configuration = CommandConfiguration(
        abstract: "Shows the features of a session, or of all.",
        discussion: """
            One line a feature: its slot, its node's number, how many states it has presented, \
            its running tasks and calls. Below it what waits in the session, and for each front, \
            next to the most that may: events whose handlers run, effects, states, bytes that \
            must arrive, bytes in its socket, answers that it has not confirmed; then the states \
            that were merged and the effects that were dropped so far.

            With --ledger also what each tree has created and released: nodes, routers, scopes \
            (of interactors), bound tasks, senders, streams and slots. What is left of a \
            feature that has been detached has a line with the feature's path: somebody keeps \
            it. Sessions that have ended are shown when something of them is left.

              napkin-client tree
              napkin-client tree rib-house --watch
              napkin-client tree --ledger
            """)

    /// Between two looks.
    static let watchInterval: Duration = .seconds(1)

    @Argument(help: "The session's name. Default: all sessions.")
    var session: String?

    @Flag(help: "Look again every second, until Ctrl-C.")
    var watch = false

    @Flag(help: "Show what has been created and released, and what is left.")
    var ledger = false

    @Flag(help: "Print a JSON array.")
    var json = false

    @OptionGroup var daemon: DaemonOptions

    @MainActor
    func perform() async throws(ClientFailure) -> Int32 {
        let connection = try await daemon.connect()
        defer { connection.close() }
        guard watch else {
            print(try await picture(connection))
            return 0
        }
        try leaveOnSignals()
        var shown: String?
        while true {
            let picture = try await picture(connection)
            if picture != shown { show(picture) }
            shown = picture
            // Cancellation cannot come: nobody holds this task.
            try? await Task.sleep(for: Self.watchInterval)
        }
    }

    @MainActor
    private func picture(_ connection: DaemonConnection) async throws(ClientFailure) -> String {
        let answer: [SessionTree] = try await daemon.ask(
            .tree(session: session), of: connection)
        let trees = ledger ? answer : Self.withoutLedgers(answer)
        if let session, trees.isEmpty { throw .unknownSession(session) }
        if json { return try JSONOutput.text(of: trees) }
        guard !trees.isEmpty else { return "No session runs; `napkin-client attach` starts one." }
        return trees.flatMap(lines).joined(separator: "\n")
    }

    private func lines(of tree: SessionTree) -> [String] {
        TreeDrawing.lines(of: tree) + QueueDrawing.lines(of: tree.queues)
            + (ledger ? LedgerDrawing.lines(of: tree.ledger) : [])
    }

    /// Without what only a ledger has: also the sessions that have ended.
    static func withoutLedgers(_ trees: [SessionTree]) -> [SessionTree] {
        trees.compactMap { tree in
            if tree.root == nil, tree.ledger != nil { return nil }
            var tree = tree
            tree.ledger = nil
            return tree
        }
    }

    /// In place on a terminal, else once more below.
    @MainActor
    private func show(_ picture: String) {
        let isTerminal = isatty(STDOUT_FILENO) != 0 && !json
        let clear = isTerminal ? "\u{1B}[H\u{1B}[2J\u{1B}[3J" : ""
        let output = StandardOutput { Glibc.exit(ExitTable.ioError) }
        output.write(clear + picture + "\n")
        output.finish()
    }

    @MainActor
    private func leaveOnSignals() throws(ClientFailure) {
        do throws(TransportError) {
            for signal in [SIGINT, SIGTERM, SIGHUP] {
                _ = try SignalWatcher(signal) { Glibc.exit(0) }
            }
        } catch {
            throw ClientFailure(error)
        }
    }
}
