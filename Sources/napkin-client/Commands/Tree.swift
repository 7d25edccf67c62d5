// Tree: the command that shows what runs inside of a session.
//
// Layer      executable, commands.
// Isolation  value; performing is @MainActor.

import ArgumentParser
import NapkinFront
import NapkinProtocol
import NapkinTransport

struct Tree: ClientCommand {
    static let configuration = CommandConfiguration(
        abstract: "Shows the features of a session, or of all.",
        discussion: """
            One line a feature: its slot, its node's number, how many states it has presented, \
            its running tasks and calls. Above it the session and its tree's epoch. Below it what \
            waits in the session, and for each front, next to the most that may: events whose \
            handlers run, effects, states, bytes that must arrive, bytes in its socket, answers \
            that it has not confirmed; then the states that were merged and the effects that were \
            dropped so far; and for each tool that traces the session what it has not fetched.

            With --watch it is shown again whenever something in it changes, until Ctrl-C: in \
            place on a terminal, with the lines that have changed set off, else as one block after \
            another, and with --json as one object a line, {"t":"trees","trees":[…]}. The worker \
            looks every --interval seconds, and says nothing when nothing has changed.

            With --ledger also what each tree has created and released: nodes, routers, scopes \
            (of interactors), bound tasks, senders, streams and slots. What is left of a \
            feature that has been detached has a line with the feature's path: somebody keeps \
            it. Sessions that have ended are shown when something of them is left.

              napkin-client tree
              napkin-client tree rib-house --watch
              napkin-client tree --watch --json | jq -c '.trees[].queues'
              napkin-client tree --ledger
            """)

    /// The shortest interval: the loop's clock counts milliseconds.
    static let intervalMin = 0.01

    @Argument(
        help: "The session's name, or an app's. Default: all sessions.",
        completion: .sessionsAndApps)
    var session: String?

    @Flag(help: "Show it again whenever something changes, until Ctrl-C.")
    var watch = false

    @Option(
        help: ArgumentHelp(
            "With --watch: the worker looks that often for changes. Default: 0.1.",
            valueName: "seconds"))
    var interval: Double?

    @Flag(help: "Show what has been created and released, and what is left.")
    var ledger = false

    @Flag(help: "Print a JSON array; with --watch one object a line.")
    var json = false

    @OptionGroup var daemon: DaemonOptions

    func validate() throws {
        guard let interval else { return }
        guard watch else { throw ValidationError("--interval goes with --watch") }
        guard interval >= Self.intervalMin, interval <= 3600 else {
            throw ValidationError("--interval takes seconds, 0.01 to 3600")
        }
    }

    @MainActor
    func perform() async throws(ClientFailure) -> Int32 {
        let connection = try await daemon.connect()
        defer { connection.close() }
        guard watch else {
            let trees = try await trees(connection)
            try StandardOutput.put(
                json ? try JSONOutput.line(of: trees) : PrintableText(lines: lines(of: trees)))
            return 0
        }
        let subjects = try await Subject.resolve(session, daemon, connection)
        let live = try LiveText(isJSON: json)
        let every = Duration.milliseconds((interval ?? 0.1) * 1000)
        let watch = TreeWatch(connection, every: every, withLedger: ledger) { trees in
            guard json else { return live.show(lines(of: trees)) }
            live.append(Self.line(of: trees).printable)
        }
        let failure = await watch.run(subjects)
        try live.finish()
        throw failure
    }

    @MainActor
    private func trees(
        _ connection: DaemonConnection
    ) async throws(ClientFailure) -> [SessionTree] {
        var trees: [SessionTree] = []
        for subject in try await subjects(connection) {
            trees += try await daemon.ask(.tree(session: subject), of: connection)
        }
        return ledger ? trees : Self.withoutLedgers(trees)
    }

    /// The sessions that are meant; one absent name for all.
    @MainActor
    private func subjects(
        _ connection: DaemonConnection
    ) async throws(ClientFailure) -> [String?] {
        guard let session else { return [nil] }
        let known: [SessionInfo] = try await daemon.ask(.sessions, of: connection)
        if known.contains(where: { $0.session == session }) { return [session] }
        let ofApp = known.filter { $0.app == session }.map(\.session)
        guard ofApp.isEmpty else { return ofApp }
        // Without a tree, but known to napkind; or not known at all, which it says best.
        return [session]
    }

    private static func line(of trees: [SessionTree]) -> ControlLine {
        do throws(ClientFailure) {
            return ControlLine("trees")
                .adding("trees", json: try JSONOutput.text(of: trees))
        } catch {
            return ControlLine("error").adding("message", error.message)
        }
    }

    private func lines(of trees: [SessionTree]) -> [String] {
        guard !trees.isEmpty else {
            return ["No session runs; `napkin-client attach` starts one."]
        }
        return trees.flatMap { tree in
            TreeDrawing.lines(of: tree) + QueueDrawing.lines(of: tree.queues)
                + (ledger ? LedgerDrawing.lines(of: tree.ledger) : [])
        }
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
}
