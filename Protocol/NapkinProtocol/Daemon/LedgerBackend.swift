// LedgerBackend: where workers keep durable sessions, as `--ledger` names it.
//
// Spec       Protocol/LEDGER.md, "PostgreSQL"

/// The kind of store of all of a napkind's journals.
package enum LedgerBackend: Hashable, Sendable, CustomStringConvertible {
    /// A file for each journal, in the state directory.
    case files
    /// A PostgreSQL database: the name of a service in libpq's file, or a connection string or URI.
    case postgres(String)

    private static let scheme = "postgres:"

    /// Reads the option's value; `nil` if it names no store.
    package init?(_ word: String?) {
        guard let word, word != "sqlite" else {
            self = .files
            return
        }
        guard word.hasPrefix(Self.scheme), word.count > Self.scheme.count else { return nil }
        self = .postgres(String(word.dropFirst(Self.scheme.count)))
    }

    /// The backend as tools see it; `nil` for files.
    package var name: String? { self == .files ? nil : description }

    /// The option's value.
    package var description: String {
        switch self {
        case .files: "sqlite"
        case .postgres(let database): Self.scheme + database
        }
    }

    /// Why a value is refused; `nil` if it is not.
    package static func objection(to word: String?) -> String? {
        guard let backend = LedgerBackend(word) else {
            return "--ledger needs 'sqlite' or 'postgres:SERVICE', where SERVICE is in libpq's "
                + "pg_service.conf"
        }
        guard case .postgres(let database) = backend, hasPassword(database) else { return nil }
        return "--ledger with a password shows it to everyone who may list processes: put it into "
            + "~/.pgpass or the service's file"
    }

    private static func hasPassword(_ database: String) -> Bool {
        ConnectionString(database)?.hasPassword ?? false
    }
}
