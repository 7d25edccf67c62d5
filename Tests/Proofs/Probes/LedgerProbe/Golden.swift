// Golden: a ledger that is kept for later versions, and what it holds as JSON.
//
// Isolation  @MainActor: the journal's.

import Foundation
import NapkinCore
import NapkinLedger

/// LedgerProbe golden write|read PATH
///
/// Before a format is released, `write` makes its ledger and `PATH.json`; every later version must
/// `read` the same from it. What is new is optional, so that it is absent there.
@MainActor
enum Golden {
    private struct Holding: Encodable {
        var newest: GroupNumber
        var sessions: [String: SessionImage]
        /// The descriptions of states; absent if there are none.
        var schemas: [StateSchema]?

        init(_ sessions: [String: SessionImage], of store: SQLiteStore) throws {
            self.sessions = sessions
            newest = try store.open().newest
            let known = try store.schemas().map { try Payload($0.bytes).decode(StateSchema.self) }
            schemas = known.isEmpty ? nil : known
        }
    }

    static func write(to path: String) async throws {
        let script = try Script(
            groups: 30, imagesEvery: 7, stateBytes: 24, tidied: 27, hasScheduledInputs: true)
        for end in ["", "-wal"] { unlink(path + end) }
        let holding = try {
            let store = try SQLiteStore(path: path, durability: .machine, logBytes: 4096).opened()
            for (index, commit) in script.commits.enumerated() {
                try store.commit(commit)
                // Some are in the database and some in the log, which is short.
                if index < Int(script.tidied) { try store.tidy() }
            }
            return try Holding(script.images[script.commits.count], of: store)
        }()
        try Data(text(holding).utf8).write(to: URL(filePath: path + ".json"))
    }

    /// Returns what a ledger holds. It is changed as a worker would: give it a copy.
    static func read(_ path: String) async throws -> String {
        let store = try SQLiteStore(
            path: path, durability: .process, logBytes: Reading.logBytes
        ).opened()
        let journal = try Journal(durability: .process, store)
        var sessions: [String: SessionImage] = [:]
        for name in journal.sessions.names { sessions[name] = try await journal.image(named: name) }
        return try text(Holding(sessions, of: store))
    }

    private static func text(_ holding: Holding) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return String(decoding: try encoder.encode(holding), as: UTF8.self) + "\n"
    }
}
