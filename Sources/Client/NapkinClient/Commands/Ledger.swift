// Ledger: the commands that inspect stored sessions.
//
// Spec       Protocol/LEDGER.md, "Tools"

import ArgumentParser
import NapkinFront
import NapkinLedger
import NapkinProtocol
import NapkinTransport

struct Ledger: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Shows, checks, copies, moves and rewinds stored sessions.",
        discussion: """
            Each worker process stores its durable sessions in a journal. These commands ask the \
            workers, which are started if necessary and keep running meanwhile. With --file, they \
            read a journal's file instead: one that is damaged, a backup, or another machine's.

              napkin-client ledger ls
              napkin-client ledger migrate --ledger postgres:napkin
              napkin-client ledger verify && echo all of it can be read
              napkin-client ledger salvage --file cart.ledger.damaged
            """,
        subcommands: [
            LedgerList.self, LedgerShow.self, LedgerVerify.self, LedgerExport.self,
            LedgerImport.self, LedgerRewindCommand.self, LedgerBackup.self, LedgerSalvage.self,
            LedgerMigrate.self,
        ])
}

extension DaemonConnection {
    /// The longest wait for a worker to copy or check a journal. Chosen: napkind gives up before.
    private static let ledgerPatience = Duration.seconds(LedgerLimits.patienceSeconds + 30)

    func ledger<T: Decodable>(
        _ app: String? = nil, _ session: String? = nil, _ request: LedgerRequest
    ) async throws(ClientFailure) -> T {
        try await ClientFailure.ofFront { () async throws(FrontError) in
            try await query(
                .ledger(app: app, session: session, request: request), within: Self.ledgerPatience)
        }
    }
}

struct JournalOptions: ParsableArguments, Sendable {
    @Argument(help: "The app's name. Default: all apps.", completion: .apps)
    var app: String?

    @Flag(help: "Print a JSON array.")
    var json = false

    @OptionGroup var daemon: DaemonOptions

    /// Asks the workers that have journals one after another, since each may have to be started.
    @MainActor
    func ask<Answer: Decodable>(
        _ request: LedgerRequest
    ) async throws(ClientFailure) -> (answers: [Answer], failures: [ClientFailure]) {
        let connection = try await daemon.connect()
        defer { connection.close() }
        let names: [String] = try await connection.ledger(app, nil, .journals)
        var (answers, failures): ([Answer], [ClientFailure]) = ([], [])
        for name in names {
            do throws(ClientFailure) {
                answers.append(try await connection.ledger(name, nil, request))
            } catch {
                failures.append(error)
            }
        }
        return (answers, failures)
    }

    /// Prints the workers' answers, and the failures of others on standard error. Returns the exit
    /// status.
    @MainActor
    func put<Item: Encodable>(
        _ items: [Item], _ failures: [ClientFailure], in lines: ([Item]) -> [String]
    ) throws(ClientFailure) -> Int32 {
        // If a worker has not answered, nobody knows whether it stores something.
        let none = failures.isEmpty ? [LedgerDrawing.none] : []
        try StandardOutput.put(items, asJSON: json, or: items.isEmpty ? none : lines(items))
        return failures.report()
    }
}

extension [ClientFailure] {
    /// Reports the failures on standard error; returns the exit status.
    func report() -> Int32 {
        for failure in self { failure.report() }
        return first?.status ?? 0
    }
}

struct LedgerList: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "ls", abstract: "Lists the stored sessions.",
        discussion: """
            For each: its app, the worker that has it, the bytes of its image and its newest \
            records, the number of its newest record (that of the group in which it was written), \
            and what it survives: `machine` (a power cut) or `process` (the death of every \
            process). It is running or, if only on disk, stored.

              napkin-client ledger ls
              napkin-client ledger ls rib-house --json | jq 'map(.bytes) | add'
            """)

    @OptionGroup var journals: JournalOptions

    func perform() async throws(ClientFailure) -> Int32 {
        let found: (answers: [[LedgerEntry]], failures: [ClientFailure]) =
            try await journals.ask(.list)
        let entries = found.answers.flatMap(\.self).sorted {
            ($0.session, $0.worker) < ($1.session, $1.worker)
        }
        return try journals.put(entries, found.failures) { entries in
            var table = TextTable("SESSION", "APP", "WORKER", "SIZE", "RECORD", "SURVIVES", "STATE")
            for entry in entries {
                table.add(
                    entry.session, entry.app, entry.worker, Quantity.bytes(entry.bytes),
                    "\(entry.record)", entry.level, entry.state)
            }
            return table.lines(
                in: TextTable.room, leavingOut: ["SURVIVES", "RECORD", "WORKER", "SIZE"])
        }
    }
}

struct LedgerShow: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Shows a stored session.",
        discussion: """
            First its tree, as routers with their numbers, and the state of each durable \
            interactor, as JSON or, where JSON cannot express it, in CBOR's diagnostic notation; \
            a router that the running app has not attached again is marked as kept. Then its \
            fronts, with the answers kept for them and the events that had changed something but \
            not ended; its timers, with the time of the next firing, and its jobs, with the time \
            of the next attempt (UTC) or why they were given up; then the records that `rewind` \
            can undo, newest last. With --json, encoded bytes are base64, and times are \
            milliseconds since 1970. With --record, it is as it was when that record was written.

              napkin-client ledger show lunch
              napkin-client ledger show lunch --record 4711
              napkin-client ledger show lunch --json | jq '.records[-1].record'
            """)

    @Argument(help: "The session's name.", completion: .sessions)
    var session: String

    @Option(help: ArgumentHelp("The state as of this record.", valueName: "number"))
    var record: UInt64?

    @OptionGroup var options: ReportOptions

    func perform() async throws(ClientFailure) -> Int32 {
        let connection = try await options.daemon.connect()
        defer { connection.close() }
        let stored: LedgerSession = try await connection.ledger(nil, session, .show(record: record))
        try StandardOutput.put(stored, asJSON: options.json, or: LedgerDrawing.lines(of: stored))
        return 0
    }
}

struct LedgerVerify: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify", abstract: "Checks all stored sessions.",
        discussion: """
            The checksums of all groups and images are recomputed, and each session is restored as \
            bytes, without the app's code. Problems are printed, and the status is then 1. With \
            --file, a journal's file is checked without a worker or napkind; it is not changed, \
            and may be in use.

              napkin-client ledger verify
              napkin-client ledger verify rib-house --json | jq '.[].problems[]'
              napkin-client ledger verify --file cart.backup
            """)

    @Option(name: .customLong("file"), help: .journalFile, completion: .file())
    var path: String?

    @OptionGroup var journals: JournalOptions

    func perform() async throws(ClientFailure) -> Int32 {
        let found: (answers: [LedgerReport], failures: [ClientFailure])
        if let path {
            guard journals.app == nil, journals.daemon.host == nil else {
                throw .usage("--file goes with no app and no --host")
            }
            found = ([try JournalFile(reading: path).report()], [])
        } else {
            found = try await journals.ask(.verify)
        }
        let status = try journals.put(found.answers, found.failures) {
            $0.flatMap(LedgerDrawing.lines)
        }
        guard status == 0 else { return status }
        return found.answers.allSatisfy(\.problems.isEmpty) ? 0 : ExitTable.failed
    }
}
