// TestDatabase: a new database of the shared server, with a cluster's tables.

import Foundation
import NapkinCore
import TestSupport

@testable import NapkinLedger

/// One database, and the state directories of machines that share it.
struct TestDatabase {
    let string: String
    private let directory = TemporaryDirectory()

    /// - Parameter isMigrated: whether it has the tables.
    init(on server: PostgresServer? = nil, isMigrated: Bool = true) {
        do {
            let server = try server ?? PostgresServer.shared.get()
            let name = "t\(UInt32.random(in: 0 ... .max))"
            let admin = try PostgresConnection(server.database(), path: "admin")
            try admin.run("CREATE DATABASE \(name)")
            string = server.database(name)
            if isMigrated { _ = try PostgresStore.migrate(database: string, cluster: "test") }
        } catch {
            preconditionFailure("no database: \(error)")
        }
    }

    /// The path of a machine's journal, beside which its note is.
    func file(_ machine: String = "one") -> String {
        let state = directory(machine)
        // That it exists is as good.
        try? FileManager.default.createDirectory(
            atPath: state, withIntermediateDirectories: true)
        return state + "/tally.ledger"
    }

    /// The journal's store for a machine; not opened yet.
    func store(
        _ machine: String = "one", _ durability: Durability = .machine
    ) -> PostgresStore {
        PostgresStore(
            database: string, journal: "tally", file: file(machine), address: machine,
            durability: durability)
    }

    func connection() throws -> PostgresConnection {
        try PostgresConnection(string, path: "test")
    }

    func run(_ text: String) throws { try connection().run(text) }
}
