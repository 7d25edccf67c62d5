// StoredNames: the list of a journal's sessions that a worker leaves when it ends.
//
// Invariant  it exists only while nobody has the journal open; a list that is incomplete or older
//            than the journal counts as missing.
// Spec       Protocol/LEDGER.md, "Names"

import Glibc
import NapkinCore
import NapkinProtocol
import NapkinTransport

package struct StoredNames: Equatable, Sendable {
    package struct Session: Equatable, Sendable {
        package var name: String
        /// The session's name for the app.
        package var id: String

        package init(name: String, id: String) { (self.name, self.id) = (name, id) }
    }

    /// The size limit of a file, in bytes. Chosen: some 60,000 sessions with the longest names.
    /// Beyond it, no list is written, and the next napkind asks a worker.
    package static let bytesMax = 16 * 1024 * 1024
    private static let heading = "napkin-names 1"

    package var sessions: [Session]
    /// When the first timer is due, in milliseconds since 1970; `nil` if none is stored.
    package var due: Int64?
    /// The durability of the sessions, as in a registration.
    package var level: String?

    package init(_ sessions: [Session], due: Int64? = nil, level: String? = nil) {
        (self.sessions, self.due, self.level) = (sessions, due, level)
    }

    private static func path(_ journal: String) -> String { journal + ".names" }

    // MARK: - Reading

    /// Reads the list left beside a journal; `nil` if it is missing or outdated.
    package init?(of journal: String) {
        let file = CheckedFile(path: Self.path(journal), bytesMax: Self.bytesMax)
        // An unreadable list counts as missing: a worker is asked.
        guard let text = try? file.text() else { return nil }
        self.init(text, stamps: Self.stamps(of: journal))
    }

    /// Returns whether a journal's files are as its worker left them at an orderly end; `nil` if it
    /// has left no list.
    package static func areCurrent(of journal: String) -> Bool? {
        let file = CheckedFile(path: path(journal), bytesMax: bytesMax)
        // An unreadable list says nothing.
        guard let text = try? file.text(),
            let stamps = text.split(separator: "\n").dropFirst().first,
            Self(text, stamps: String(stamps)) != nil
        else { return nil }
        return stamps == Self.stamps(of: journal)[...]
    }

    /// Reads a file's text; `nil` if it is incomplete, or if its stamps differ from `stamps`.
    init?(_ text: String, stamps: String) {
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false)[...]
        guard lines.popLast() == "", let end = lines.popLast(),
            end == Self.end(of: lines.map { $0 + "\n" }.joined()),
            lines.popFirst() == Self.heading[...], lines.popFirst() == stamps[...]
        else { return nil }
        self.init([])
        if let first = lines.first, first.hasPrefix("due ") {
            guard let due = Int64(first.dropFirst(4)) else { return nil }
            self.due = due
            lines.removeFirst()
        }
        if let first = lines.first, first.hasPrefix("level ") {
            level = String(first.dropFirst(6))
            lines.removeFirst()
        }
        for line in lines {
            let words = line.split(separator: " ", omittingEmptySubsequences: false)
            guard words.count == 3, words[0] == "session", Name.isValid(String(words[1])) else {
                return nil
            }
            sessions.append(Session(name: String(words[1]), id: String(words[2])))
        }
    }

    private static func end(of text: String) -> String {
        "end " + String(StableHash.value(of: Array(text.utf8)), radix: 16)
    }

    /// Returns the stamps of the journal's files, which change when the journal does.
    static func stamps(of journal: String) -> String {
        "stamps " + files(of: journal).map(stamp).joined(separator: " ")
    }

    private static func files(of journal: String) -> [String] { [journal, journal + "-wal"] }

    private static func stamp(_ path: String) -> String {
        var status = stat()
        guard lstat(path, &status) == 0 else { return "-" }
        let time = status.st_mtim
        return "\(status.st_ino):\(status.st_size):\(time.tv_sec).\(time.tv_nsec)"
    }

    // MARK: - Writing

    func text(stamps: String) -> String {
        var text = "\(Self.heading)\n\(stamps)\n"
        if let due { text += "due \(due)\n" }
        if let level { text += "level \(level)\n" }
        for session in sessions { text += "session \(session.name) \(session.id)\n" }
        return text + Self.end(of: text) + "\n"
    }

    /// Writes the list for a journal that will not change any more; returns whether it exists.
    ///
    /// The journal's files are synced first: otherwise a power cut could leave the list beside
    /// files of other sizes or times, which would look as if they had been replaced. This gives up
    /// SQLite's locks on them.
    @discardableResult
    package func write(of journal: String) -> Bool {
        guard Self.files(of: journal).allSatisfy({ WholeFile.sync($0) || errno == ENOENT }) else {
            return false
        }
        let bytes = Array(text(stamps: Self.stamps(of: journal)).utf8)
        return bytes.count <= Self.bytesMax && WholeFile.write(bytes, to: Self.path(journal))
    }

    /// Removes the list of a journal that is about to change, so that no power cut brings it back.
    /// This includes a list that a worker removed and was killed before it had synced the removal.
    package static func remove(of journal: String) {
        // A journal that does not exist yet syncs the directory when it is created.
        guard unlink(path(journal)) == 0 || access(journal, F_OK) == 0 else { return }
        WholeFile.syncDirectory(of: journal)
    }
}
