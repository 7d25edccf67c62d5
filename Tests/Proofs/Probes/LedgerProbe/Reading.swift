// Reading: opens what is left of a journal, and compares it with what was written.
//
// Isolation  @MainActor: the journal's.

import Glibc
import NapkinCore
import NapkinLedger

/// What a proof has found that must not be.
struct Finding: Error, CustomStringConvertible {
    let description: String

    static func unless(_ isSo: Bool, _ what: @autoclosure () -> String) throws(Finding) {
        guard isSo else { throw Finding(description: what()) }
    }
}

@MainActor
enum Reading {
    static let logBytes = 64 * 1024

    /// Opens a store as a worker does, and compares each session with the script. Returns the
    /// newest group; `nil` if there is an error with a name instead.
    ///
    /// - Parameter newest: the newest group that may be there, and the oldest end.
    static func newest(
        _ script: Script, at path: String, from oldest: GroupNumber = 0, _ what: String
    ) async throws -> GroupNumber? {
        let journal: Journal
        do {
            let store = try SQLiteStore(path: path, durability: .process, logBytes: logBytes)
                .opened()
            journal = try Journal(durability: .process, store)
            let newest = try store.open().newest
            try Finding.unless(
                newest >= oldest && newest < script.images.count,
                "\(what): the newest group is \(newest), after \(oldest)")
            let expected = script.images[Int(newest)]
            var isWhole = true
            for name in journal.sessions.names {
                do {
                    let found = try await journal.image(named: name)
                    try Finding.unless(
                        found == expected[name],
                        "\(what): '\(name)' is another as of group \(newest)")
                } catch let error where !(error is Finding) {
                    isWhole = false
                }
            }
            try Finding.unless(
                !isWhole || journal.sessions.names == expected.keys.sorted(),
                "\(what): \(journal.sessions.names) instead of \(expected.keys.sorted())")
            return isWhole ? newest : nil
        } catch let finding as Finding {
            throw finding
        } catch {
            return nil
        }
    }
}

/// Files as bytes, written and read whole.
enum File {
    static func bytes(of path: String) -> [UInt8] {
        guard let file = fopen(path, "r") else { return [] }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 1 << 16)
        while case let count = fread(&chunk, 1, chunk.count, file), count > 0 {
            bytes += chunk[..<count]
        }
        return bytes
    }

    static func write(_ bytes: [UInt8], to path: String) {
        let file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard file >= 0 else { fatalError("cannot write \(path)") }
        defer { close(file) }
        let written = bytes.withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) }
        guard written == bytes.count else { fatalError("cannot write \(path)") }
    }
}
