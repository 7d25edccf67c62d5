// LedgerChanges: the commands that copy, move and rewind stored sessions.
//
// Isolation  value; performing is @MainActor. Files are read and written at once, which blocks.
// Spec       Protocol/LEDGER.md, "Tools" and "Exported sessions"

import ArgumentParser
import Glibc
import NapkinCoding
import NapkinCore
import NapkinFront
import NapkinLedger
import NapkinProtocol
import NapkinTransport

struct LedgerExport: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "export", abstract: "Writes a session to a file.",
        discussion: """
            The session keeps running. `import` creates a session from the file, on this or \
            another machine with the same app. Files of the app that are not part of its durable \
            state are not included. With --file, the session is read from a journal's file, \
            without a worker or napkind, as `salvage` reads it; the file's name says of which app \
            it is, unless --app does.

              napkin-client ledger export lunch lunch.napkin
              napkin-client ledger export lunch --file cart.backup --app cart
            """)

    @Argument(help: "The session's name.", completion: .sessions)
    var session: String

    @Argument(help: "The file. Default: SESSION.napkin, here.", completion: .file())
    var file: String?

    @Option(name: .customLong("file"), help: .journalFile, completion: .file())
    var journal: String?

    @Option(help: .journalApp, completion: .apps)
    var app: String?

    @OptionGroup var daemon: DaemonOptions

    func perform() async throws(ClientFailure) -> Int32 {
        let path = file ?? "\(session).napkin"
        if let journal { return try await export(from: journal, to: path) }
        guard app == nil else {
            throw .usage("--app says whose the --file is: give both")
        }
        let connection = try await daemon.connect()
        defer { connection.close() }
        let bytes = try await ClientFailure.ofFront { () async throws(FrontError) in
            try await connection.bytes(.ledger(app: nil, session: session, request: .export))
        }
        try SessionFile.write(bytes, to: path)
        try StandardOutput.put(
            line: "\(path): session \(session), \(Quantity.bytes(bytes.count))")
        return 0
    }

    @MainActor
    private func export(
        from journal: String, to path: String
    ) async throws(ClientFailure) -> Int32 {
        guard daemon.host == nil else {
            throw .usage("--file goes with no --host")
        }
        let journal = try JournalFile(reading: journal)
        guard let stored = journal.sessions.first(where: { $0.name == session }) else {
            let hint = Suggestion.hint(for: session, among: journal.sessions.map(\.name))
            throw .noInput("\(journal.path) has no session '\(session)'\(hint)")
        }
        let app = try journal.app(named: app)
        return (journal.failures + (try await journal.export(stored, of: app, to: path))).report()
    }
}

struct LedgerImport: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "import", abstract: "Creates a session from an exported one.",
        discussion: """
            The same app must be installed here; the whole file is checked before anything \
            happens. The session continues as it was, with new fronts; handlers that were running \
            end as interrupted. A name in use is refused; with --name \
            the session is a copy under another name, without timers and jobs, which belong to \
            the original.

            With --ledger, the file is a whole journal, APP.ledger in napkind's state directory, \
            and all of its sessions move into that database, while no worker runs. The file is \
            kept as APP.ledger.imported. `backup` is the way back.

              napkin-client ledger import lunch.napkin
              napkin-client ledger import lunch.napkin --name dinner
              napkin-client ledger import cart.ledger --ledger postgres:napkin
            """)

    @Argument(help: "The file.", completion: .file())
    var file: String

    @Option(
        help: ArgumentHelp(
            "Move a whole journal into this store: postgres:SERVICE.", valueName: "store"))
    var ledger: String?

    @Option(help: ArgumentHelp("The session's name. Default: that in the file."))
    var name: String?

    @OptionGroup var daemon: DaemonOptions

    func perform() async throws(ClientFailure) -> Int32 {
        if let ledger {
            guard name == nil else { throw .usage("--ledger moves sessions under their names") }
            return try DatabaseCommands.move(file, into: ledger)
        }
        let bytes = try SessionFile.read(file)
        let head = try SessionFile.head(of: bytes, file)
        let session = name ?? head.session
        let connection = try await daemon.connect()
        defer { connection.close() }
        try await connection.load(bytes, of: head.app, as: session, isNamed: name != nil)
        try StandardOutput.put(
            line: "session \(session): `napkin-client attach \(head.app) --session \(session)`")
        return 0
    }
}

extension DaemonConnection {
    func load(
        _ bytes: [UInt8], of app: String, as session: String, isNamed: Bool = false
    ) async throws(ClientFailure) {
        var offset = 0
        repeat {
            let part = Array(bytes[offset...].prefix(LedgerLimits.partBytes))
            let isLast = offset + part.count == bytes.count
            let _: Bool = try await ledger(
                app, session,
                .load(offset: UInt64(offset), bytes: part, isLast: isLast, isNamed: isNamed))
            offset += part.count
        } while offset < bytes.count
    }
}

struct LedgerBackup: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup", abstract: "Copies an app's stored sessions while it runs.",
        discussion: """
            The copy is one complete, compact file, which must not exist yet. If several workers \
            of the app have journals, each gets a file: FILE~1, FILE~2 and so on. To restore it, \
            `stop` the app, copy the file to ledger/APP.ledger (APP~1.ledger, …) in napkind's \
            state directory and remove the -wal file beside it; then `start`. With --host, the \
            file is on that machine.

              napkin-client ledger backup rib-house ~/rib-house.ledger
            """)

    @Argument(help: "The app's name, or a worker's.", completion: .apps)
    var app: String

    @Argument(help: "The file.", completion: .file())
    var file: String

    @OptionGroup var daemon: DaemonOptions

    func perform() async throws(ClientFailure) -> Int32 {
        let connection = try await daemon.connect()
        defer { connection.close() }
        let workers: [String] = try await connection.ledger(app, nil, .journals)
        guard !workers.isEmpty else {
            throw .noInput("nothing of \(app) is stored")
        }
        if daemon.host != nil, !file.hasPrefix("/") {
            throw .usage("with --host, give the file's absolute path on that machine")
        }
        let path = SessionFile.absolute(file)
        for worker in workers {
            let number = WorkerID(worker)?.number ?? 0
            let target = workers.count > 1 ? "\(path)~\(number)" : path
            let _: Bool = try await connection.ledger(worker, nil, .copy(path: target))
            try StandardOutput.put(line: "\(target): the stored sessions of \(worker)")
        }
        return 0
    }
}

struct LedgerRewindCommand: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "rewind", abstract: "Takes a session back to an older record.",
        discussion: """
            Everything recorded after it is undone and cannot be recovered: `export` first. The \
            session's tree ends, and its fronts come back by themselves as new ones and see the \
            older state; no event is handled twice, and one that has no answer yet ends as \
            unknown. Timers and jobs \
            stay as they are now, whatever the undone records said about them. Only records that \
            the session's image lacks can be undone: `show` lists them and says how far back that \
            is. The image is rewritten after some 64 KiB of records, and when its worker starts.

            It says what it would undo, and asks. Without a terminal, nothing happens unless --yes \
            is given, and the status is 1.

              napkin-client ledger show lunch
              napkin-client ledger rewind lunch 4711 --yes
            """)

    @Argument(help: "The session's name.", completion: .sessions)
    var session: String

    @Argument(help: "The number of the record that becomes the newest.")
    var record: UInt64

    @Flag(help: "Do not ask.")
    var yes = false

    @OptionGroup var options: ReportOptions

    func perform() async throws(ClientFailure) -> Int32 {
        let connection = try await options.daemon.connect()
        defer { connection.close() }
        if !yes {
            let plan: LedgerRewind = try await connection.ledger(
                nil, session, .rewind(record: record, isMeant: false))
            try put(plan)
            guard isatty(STDIN_FILENO) != 0, !options.json else {
                throw .failed(
                    "session \(session): nothing has happened; "
                        + "`napkin-client ledger rewind \(session) \(record) --yes` does it")
            }
            try StandardOutput.put("Undo this for good? [y/N] ")
            guard ["y", "yes"].contains(readLine()?.lowercased()) else { return ExitTable.failed }
        }
        let done: LedgerRewind = try await connection.ledger(
            nil, session, .rewind(record: record, isMeant: true))
        try put(done)
        return 0
    }

    private func put(_ rewind: LedgerRewind) throws(ClientFailure) {
        try StandardOutput.put(rewind, asJSON: options.json, or: LedgerDrawing.lines(of: rewind))
    }
}
