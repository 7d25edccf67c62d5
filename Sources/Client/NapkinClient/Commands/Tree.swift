// Tree: the command that shows the features of a session.

import ArgumentParser
import NapkinFront
import NapkinProtocol
import NapkinTransport

struct Tree: ClientCommand {
    static let configuration = CommandConfiguration(
        abstract: "Shows the features of a session, or of all sessions.",
        discussion: """
            One line per feature: its slot, its node's number, how many states it has presented, \
            its running tasks and calls. Above are the session and its tree's epoch; below, the \
            programs that keepers hold for the session, and the queues of the session and of each \
            front, next to their limits: events whose handlers run, effects, states, bytes still \
            to arrive, bytes in its socket, answers that it has not confirmed; then how many \
            states were merged and effects dropped so far; and for each tool that traces the \
            session, what it has not fetched.

            With --watch, it is shown whenever something in it changes, until Ctrl-C: on a \
            terminal as a page of the dashboard, with the changed lines highlighted; otherwise, \
            and with --inventory or --ledger, as one block after another; with --json, as one \
            object per line, {"t":"trees","trees":[…]}. The worker looks for changes every \
            --interval seconds, and sends nothing if there are none.

            With --inventory, it also shows what each tree has created and released: nodes, \
            routers, scopes (of interactors), bound tasks, senders, streams and slots. Anything \
            left of a detached feature has a line with the feature's path: something still refers \
            to it. Sessions that have ended are shown if anything of them is left.

            With --ledger, it also shows how handlers have changed a session's stored state since \
            its worker started: for each method the records and their bytes, and how often a \
            handler changed something and then waited: if the worker died there, the handler would \
            end as interrupted. Changes made by no event are counted under -.

            If an app's worker does not answer, standard error says so, and the exit status is 69.

              napkin-client tree
              napkin-client tree rib-house --watch
              napkin-client tree --watch --json | jq -c '.trees[].queues'
              napkin-client tree --inventory
              napkin-client tree rib-house --ledger
            """)

    /// The shortest interval: the loop's clock counts milliseconds.
    static let intervalMin = 0.01

    @Argument(
        help: "The session's name, or an app's. Default: all sessions.",
        completion: .sessionsAndApps)
    var session: String?

    @Flag(help: "Redraw it whenever something changes, until Ctrl-C.")
    var watch = false

    @Option(
        help: ArgumentHelp(
            "With --watch: how often the worker looks for changes. Default: 0.1.",
            valueName: "seconds"))
    var interval: Double?

    @Flag(help: "Show what has been created and released, and what is left.")
    var inventory = false

    @Flag(help: "Show how handlers have changed the stored state.")
    var ledger = false

    @Flag(help: "Print a JSON array; with --watch, one object per line.")
    var json = false

    @OptionGroup var daemon: DaemonOptions

    func validate() throws {
        guard let interval else { return }
        guard watch else { throw ValidationError("--interval needs --watch") }
        guard interval >= Self.intervalMin, interval <= 3600 else {
            throw ValidationError("--interval takes seconds, 0.01 to 3600")
        }
    }

    func perform() async throws(ClientFailure) -> Int32 {
        if watch, !json, !inventory, !ledger, TerminalFront.isPossible {
            return try await Attach.openDashboard(.tree, at: session, every: interval, daemon)
        }
        let connection = try await daemon.connect()
        defer { connection.close() }
        guard watch else {
            return try await show(connection)
        }
        let subjects = try await Subject.resolve(session, daemon, connection)
        let live = try LiveText()
        let every = Duration.milliseconds((interval ?? 0.1) * 1000)
        let watch = TreeWatch(
            connection, every: every, withInventory: inventory || ledger
        ) { trees in
            guard json else { return live.show(lines(of: trees)) }
            live.append(Self.line(of: trees).printable)
        }
        let failure = await watch.run(subjects)
        try live.finish()
        throw failure
    }

    @MainActor
    private func show(_ connection: DaemonConnection) async throws(ClientFailure) -> Int32 {
        if let session {
            try show(try await trees(of: session, connection))
            return 0
        }
        let trees = try await WorkerAnswers<SessionTree>(from: connection, daemon) {
            .tree(app: $0, session: nil)
        }
        // If an app did not answer, a session may still be running.
        if trees.failures.isEmpty || !trees.items.isEmpty || json { try show(trees.items) }
        return trees.reportFailures()
    }

    private func show(_ trees: [SessionTree]) throws(ClientFailure) {
        var meant = (inventory ? trees : Self.withoutInventories(trees))
            .sorted { $0.session < $1.session }
        if !ledger { for index in meant.indices { meant[index].ledger = nil } }
        try StandardOutput.put(meant, asJSON: json, or: lines(of: meant))
    }

    /// Returns the tree of the session with that name, or else the trees of the app's sessions.
    @MainActor
    private func trees(
        of name: String, _ connection: DaemonConnection
    ) async throws(ClientFailure) -> [SessionTree] {
        let query = Query.tree(app: nil, session: name)
        let notice = WaitingNotice(for: { query.whom })
        defer { notice.end() }
        do throws(FrontError) {
            return try await connection.query(query)
        } catch {
            let failure = ClientFailure(error)
            // No session can have a worker's name.
            guard error.refusal == .unknownSession || WorkerID(name) != nil else { throw failure }
            let apps: [AppInfo] = try await daemon.ask(.apps, of: connection)
            guard let workers = apps.lazy.compactMap({ $0.workerNames(for: name) }).first else {
                throw failure
            }
            var trees: [SessionTree] = []
            for worker in workers {
                let found: [SessionTree] = try await daemon.ask(
                    .tree(app: worker, session: nil), of: connection)
                trees += found
            }
            return trees
        }
    }

    private static func line(of trees: [SessionTree]) -> ControlLine {
        ControlLine("trees").adding("trees", encoding: trees)
    }

    private func lines(of trees: [SessionTree]) -> [String] {
        guard !trees.isEmpty else {
            return ["No session is running: `napkin-client attach APP` opens one."]
        }
        return trees.flatMap { tree in
            TreeDrawing.lines(of: tree) + QueueDrawing.lines(of: tree.queues)
                + (inventory ? InventoryDrawing.lines(of: tree.inventory) : [])
                + (ledger ? LedgerDrawing.lines(of: tree.ledger) : [])
        }
    }

    /// Removes inventories and sessions that have ended, which only an inventory lists.
    static func withoutInventories(_ trees: [SessionTree]) -> [SessionTree] {
        trees.compactMap { tree in
            if tree.root == nil, tree.inventory != nil { return nil }
            var tree = tree
            tree.inventory = nil
            return tree
        }
    }
}
