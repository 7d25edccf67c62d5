// JournalFile: a journal that is read as a file, without its worker. Damage in one part does not
// prevent reading the rest.
//
// Isolation  value; blocks. Not for a process that has the store open: closing its file would
//            release SQLite's locks.
// Ownership  a copy of the file and its log, which have been unlinked.
// Invariant  the original file and its log are only read, even while they are in use.
// Spec       Protocol/LEDGER.md, "Tools"

import Glibc
import NapkinCoding
import NapkinCore

/// A journal, read by its path.
package struct JournalFile: Sendable {
    package let path: String
    /// The problems of the journal as a whole.
    package private(set) var problems: [String] = []
    package let sessions: [StoredSession]
    private let copy: String
    private let store: SQLiteStore
    private let schemas: [StateSchema?]
    private let damaged: [SessionNumber: Recovery.Damage]
    /// The sessions, each up to its first damage.
    private let found: Recovery.Found

    /// Errors: `damaged` if nothing can be read; `version`; `busy` if the file keeps changing;
    /// `failed` if the system refuses a call.
    ///
    /// - Parameter directory: the place for the copy until it is open.
    package init(path: String, copiedTo directory: String) throws(StoreError) {
        var template = Array("\(directory)/napkin-XXXXXX".utf8CString)
        let place = template.withUnsafeMutableBufferPointer { place in
            place.baseAddress.flatMap { mkdtemp($0) }.map { String(cString: $0) }
        }
        guard let place else {
            throw StoreFile.failed(directory, "making a directory for a copy in it")
        }
        let copy = place + "/journal"
        (self.path, self.copy) = (path, copy)
        defer {
            // SQLite keeps working with unlinked files.
            for file in [copy, StoreFile.log(of: copy)] { StoreFile.remove(file) }
            rmdir(place)
        }
        do {
            let opened = try Self.open(path, copy, &problems)
            (store, sessions) = opened
            var schemas: [StateSchema?] = []
            do throws(StoreError) {
                schemas = try store.readSchemas()
            } catch {
                problems.append("\(error.detail): states are read without their descriptions")
            }
            self.schemas = schemas
            let found = try Recovery.run(on: store, before: [:])
            damaged = found.damaged
            self.found = damaged.isEmpty ? found : try Recovery.run(on: store, before: damaged)
        } catch {
            let error = error as? StoreError ?? StoreError(.damaged, path: copy, "\(error)")
            throw StoreError(
                error.code, path: error.path.replacing(copy, with: path),
                error.detail.replacing(copy, with: path))
        }
    }

    // MARK: - Reading

    /// Returns the file of a session, and its newest readable group. If there may be newer ones
    /// that cannot be read, `damage` says why; throws if nothing can be read.
    package func export(
        _ stored: StoredSession, of app: String
    ) async throws -> (file: [UInt8], record: GroupNumber, damage: String?) {
        let number = stored.session
        do {
            let image = try found.unwritten[number] ?? store.readImage(of: number)
            guard image.session == number else {
                throw ImageError(description: "its image is of another session")
            }
            let record = found.records[number]?.newest ?? stored.base
            let (described, schemas) = image.described(by: schemas)
            let file = try await SessionExport.file(
                of: described, app: app, record: record, schemas: schemas)
            return (file, record, damaged[number].map { original($0.reason) })
        } catch {
            throw ImageError(description: original("\(error)"))
        }
    }

    /// Reads all groups and images, as `Journal.verify` does.
    package func verify(problemsMax: Int) throws(StoreError) -> JournalCheck {
        var verification = Verification(problemsMax: problemsMax)
        for problem in problems { verification.note(problem) }
        for session in sessions { verification.check(session, in: store) }
        let newest = try store.open().newest
        while verification.position < newest, !verification.hasEnded {
            verification.checkGroups(in: store)
        }
        for session in sessions {
            guard let reason = damaged[session.session]?.reason else { continue }
            verification.noteUnlessKnown(session.name, reason)
        }
        var check = verification.found
        check.problems = check.problems.map(original)
        return check
    }

    /// Returns the text with the journal's path instead of its copy's.
    private func original(_ text: String) -> String { text.replacing(copy, with: path) }

    // MARK: - Copying

    /// The number of attempts to copy a journal whose log keeps restarting. Chosen: a worker
    /// restarts it after a MiB of changes, and a copy takes milliseconds.
    private static let attemptsMax = 10
    private static let bytesAtOnce = 1024 * 1024

    private static func open(
        _ path: String, _ copy: String, _ problems: inout [String]
    ) throws(StoreError) -> (store: SQLiteStore, sessions: [StoredSession]) {
        try take(path, copy)
        let log = try StoreLog(of: copy)
        guard log.lostCommits > 1 else {
            // A file whose header has 2 there was used with a log. Source: fileformat2.html, 1.3.3
            if head(of: copy).dropFirst(18).first == 2, head(of: StoreFile.log(of: copy)).isEmpty {
                problems.append("its log is missing, \(StoreFile.log(of: path)), and what it had")
            }
            return try opened(copy)
        }
        do {
            try log.moveAll(into: copy)
            let all = try opened(copy)
            problems.append(log.damage + " are missing to its worker, and are read here")
            return all
        } catch {
            problems.append(log.damage + " cannot be read")
            try take(path, copy)
            try StoreFile.cutLog(of: copy, to: log.end)
            return try opened(copy)
        }
    }

    private static func opened(
        _ copy: String
    ) throws(StoreError) -> (store: SQLiteStore, sessions: [StoredSession]) {
        let store = try SQLiteStore(path: copy, durability: .process, logBytes: 0).opened()
        return (store, try store.sessions())
    }

    /// Copies both files as of one moment. Pages that move from the log into the database meanwhile
    /// stay in the log until it restarts, with another header.
    private static func take(_ path: String, _ copy: String) throws(StoreError) {
        let log = StoreFile.log(of: path)
        for _ in 1...attemptsMax {
            for file in [copy, StoreFile.log(of: copy)] { StoreFile.remove(file) }
            let before = head(of: log)
            try copyFile(path, to: copy)
            if !before.isEmpty { try copyFile(log, to: StoreFile.log(of: copy)) }
            guard head(of: log) == before else { continue }
            guard !head(of: copy).isEmpty || !before.isEmpty else {
                throw StoreError(.damaged, path: path, "it is empty")
            }
            return
        }
        throw StoreError(.busy, path: path, "it changes all the time: try again")
    }

    /// Returns the beginning of a file; empty if there is none.
    private static func head(of path: String) -> ArraySlice<UInt8> {
        let file = Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard file >= 0 else { return [] }
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: 32)
        let count = pread(file, &bytes, bytes.count, 0)
        return bytes.prefix(max(0, count))
    }

    private static func copyFile(_ path: String, to copy: String) throws(StoreError) {
        let source = Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard source >= 0 else { throw StoreFile.failed(path, "opening it") }
        defer { close(source) }
        var status = stat()
        guard fstat(source, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw StoreError(.failed, path: path, "it is not a file")
        }
        let target = Glibc.open(copy, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard target >= 0 else { throw StoreFile.failed(copy, "creating it") }
        defer { close(target) }
        while true {
            let count = sendfile(target, source, nil, bytesAtOnce)
            guard count >= 0 else { throw StoreFile.failed(path, "copying it to \(copy)") }
            if count == 0 { return }
        }
    }
}
