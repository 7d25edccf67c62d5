// LedgerSalvage: the command that saves the readable part of a journal's file, and how commands
// read such a file.
//
// Isolation  value; performing is @MainActor. Files are read and written at once, which blocks.
// Spec       Protocol/LEDGER.md, "Tools"

import ArgumentParser
import Glibc
import NapkinLedger
import NapkinProtocol
import NapkinTransport

struct LedgerSalvage: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "salvage", abstract: "Saves what can be read of a damaged journal.",
        discussion: """
            Writes each session of a journal's file to SESSION.napkin in a new directory, for \
            `import`. Neither a worker nor napkind is asked; the file and its log, PATH-wal beside \
            it, are not changed and may be in use.

            Of a session that needs a damaged record, everything before that record is saved. What \
            is left behind is named on standard error, and the status is then 1.

              napkin-client ledger salvage --file ~/.local/state/napkin/ledger/cart.ledger
              napkin-client ledger salvage --file cart.backup --app cart --to saved
            """)

    @Option(name: .customLong("file"), help: .journalFile, completion: .file())
    var path: String

    @Option(help: .journalApp, completion: .apps)
    var app: String?

    @Option(
        help: ArgumentHelp(
            "The new directory. Default: the file's name with .salvaged, here.",
            valueName: "directory"),
        completion: .directory)
    var to: String?

    func perform() async throws(ClientFailure) -> Int32 {
        let journal = try JournalFile(reading: path)
        let app = try journal.app(named: app)
        let directory = to ?? journal.name + ".salvaged"
        guard mkdir(directory, 0o700) == 0 else {
            throw .cannotCreate(
                "cannot create the directory \(directory): \(String(cString: strerror(errno)))")
        }
        var failures = journal.failures
        for session in journal.sessions {
            do throws(ClientFailure) {
                let file = "\(directory)/\(session.name).napkin"
                failures += try await journal.export(session, of: app, to: file)
            } catch {
                failures.append(error)
            }
        }
        // Removes the directory if it is empty because nothing could be saved.
        rmdir(directory)
        return failures.report()
    }
}

extension ArgumentHelp {
    static let journalFile = ArgumentHelp(
        "Read this journal's file, without a worker or napkind.", valueName: "path")
    static let journalApp = ArgumentHelp(
        "The app of that file. Default: the one in its name, APP.ledger.")
}

extension JournalFile {
    init(reading path: String) throws(ClientFailure) {
        guard FileIdentity(behind: path) != nil else {
            throw .noInput("\(path): there is no such file")
        }
        do throws(StoreError) {
            let directory = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
            try self.init(path: path, copiedTo: directory)
        } catch {
            let status = error.code == .damaged ? ExitTable.failed : ExitTable.ioError
            throw ClientFailure(status, "\(error)")
        }
    }

    /// The file's name without its directory.
    var name: String { String(path.split(separator: "/").last ?? "journal") }

    /// Problems of the file as a whole.
    var failures: [ClientFailure] {
        problems.map { ClientFailure.failed("\(path): \($0)") }
    }

    /// Returns the app that the journal belongs to, even for a copy that was set aside.
    func app(named app: String?) throws(ClientFailure) -> String {
        let end = name.ranges(of: ".ledger").last?.lowerBound ?? name.startIndex
        let app = app ?? WorkerID(fileName: String(name[..<end]))?.app ?? ""
        guard Name.isValid(app) else {
            throw .usage("\(path): say with --app of which app it is; its name does not")
        }
        return app
    }

    func report() throws(ClientFailure) -> LedgerReport {
        do throws(StoreError) {
            var report = LedgerReport(worker: path)
            let check = try verify(problemsMax: LedgerLimits.problemsMax)
            (report.sessions, report.groups) = (check.sessions, check.groups)
            (report.records, report.bytes) = (check.records, check.bytes)
            report.problems = check.problems
            return report
        } catch {
            throw .failed("\(error)")
        }
    }

    /// Writes a session to a file and says so. Returns a failure for the part that is missing.
    @MainActor
    func export(
        _ session: StoredSession, of app: String, to path: String
    ) async throws(ClientFailure) -> [ClientFailure] {
        let name = session.name
        let export: (file: [UInt8], record: UInt64, damage: String?)
        do {
            guard Name.isValid(name) else { throw ToolError(description: "its name is not valid") }
            export = try await self.export(session, of: app)
            guard export.file.count <= LedgerLimits.exportBytesMax else {
                throw ToolError(description: "it has \(export.file.count) bytes, too many")
            }
        } catch {
            throw .failed("session \(name) cannot be read: \(error)")
        }
        try SessionFile.write(export.file, to: path)
        let size = Quantity.bytes(export.file.count)
        try StandardOutput.put(
            line: "\(path): session \(name), \(size), as of record \(export.record)")
        guard let damage = export.damage else { return [] }
        return [
            ClientFailure.failed(
                "session \(name): what came after record \(export.record) is missing: \(damage)")
        ]
    }
}
