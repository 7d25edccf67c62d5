// SharedDatabase: a PostgreSQL that machines of a test share.

import Foundation
import ProofSupport
import Testing

struct SharedDatabase {
    let server: PostgresServer
    /// Where a napkind keeps its sessions then.
    var ledger: String { "postgres:\(server.database())" }

    init() throws { server = try PostgresServer() }

    /// A machine of the database, which has the tables.
    func machine() async throws -> TallyPlace {
        try await migrate()
        return try await TallyPlace(ledger: ledger)
    }

    /// Creates the tables, without a napkind.
    func migrate() async throws {
        let client = try Child(
            Product.path("napkin-client"), ["ledger", "migrate", "--ledger", ledger])
        let (status, errors) = (await client.exit(), await client.allErrors())
        try Failure.unless(status == 0, errors)
    }

    /// Asks the database something; returns its answer.
    @discardableResult
    func psql(_ text: String) async throws -> String {
        let child = try Child("/usr/bin/psql", [server.database(), "-Atc", text])
        let (status, lines) = await child.result()
        let errors = await child.allErrors()
        try Failure.unless(status == 0, errors)
        return lines.joined(separator: "\n")
    }

    /// Returns when nobody's lease holds any more, by the database's clock.
    func leaseEnds() async throws {
        try await psql(
            "SELECT pg_sleep(greatest(0, extract(epoch FROM max(expires) - now()))) "
                + "FROM napkin.owner")
    }
}
