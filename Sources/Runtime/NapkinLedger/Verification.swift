// Verification: checks all contents of a journal while it is used.
//
// Isolation  @MainActor; the store is read on its queue, piece by piece, and commits come between.
// Spec       Protocol/LEDGER.md, "Tools"

import NapkinCoding
import NapkinCore

/// The result of a check.
package struct JournalCheck: Sendable {
    package var sessions = 0
    package var groups = 0
    package var records = 0
    package var bytes = 0
    package var problems: [String] = []
}

extension JournalTools {
    /// Reads all groups and images, and restores every session as bytes.
    package func verify(problemsMax: Int) async throws -> JournalCheck {
        await journal.waitUntilDurable(unlessFull: true)
        guard journal.durable > 0 else { return JournalCheck() }
        let until = journal.durable
        var verification = Verification(problemsMax: problemsMax)
        let sessions = try await journal.onQueue { try $0.sessions() }
        for session in sessions {
            verification = try await journal.onQueue { [verification] store in
                var verification = verification
                verification.check(session, in: store)
                return verification
            }
        }
        while verification.position < until, !verification.hasEnded {
            verification = try await journal.onQueue { [verification] store in
                var verification = verification
                verification.checkGroups(in: store)
                return verification
            }
        }
        for (name, reason) in journal.damaged { verification.noteUnlessKnown(name, reason) }
        return verification.found
    }
}

/// A check, piece by piece.
struct Verification: Sendable {
    private struct Restored: Sendable {
        var image: SessionImage
        var base: GroupNumber
    }

    let problemsMax: Int
    private(set) var found = JournalCheck()
    /// The newest group that was read.
    private(set) var position: GroupNumber = 0
    /// Whether all readable groups have been read.
    private(set) var hasEnded = false
    private var names: [SessionNumber: String] = [:]
    /// The sessions with records after their images.
    private var restored: [SessionNumber: Restored] = [:]

    init(problemsMax: Int) { self.problemsMax = problemsMax }

    mutating func note(_ problem: String) {
        if found.problems.count < problemsMax { found.problems.append(problem) }
    }

    /// Notes why a session is not served, unless a defect of it is known already.
    mutating func noteUnlessKnown(_ name: String, _ reason: String) {
        if names.values.contains(name) { note("session '\(name)': \(reason)") }
    }

    mutating func check(_ session: StoredSession, in store: any JournalStore) {
        found.sessions += 1
        do {
            // The session may have ended meanwhile.
            guard let stored = try store.image(of: session.session) else { return }
            found.bytes += stored.bytes.count
            let image = try SessionImage(decoding: stored.bytes)
            guard image.session == session.session, image.title.name == stored.name,
                image.title.id == stored.id
            else { throw ImageError(description: "its image is of another session") }
            names[session.session] = session.name
        } catch {
            note("session '\(session.name)': \(error)")
        }
    }

    mutating func checkGroups(in store: any JournalStore) {
        do {
            let groups = try store.groups(after: position, bytesMax: JournalTools.pieceBytesMax)
            // Groups in between were trimmed: newer images include them.
            if groups.first?.number != position + 1 { restored = [:] }
            for group in groups { try check(group, in: store) }
            hasEnded = groups.isEmpty
        } catch {
            note("\(error)")
            hasEnded = true
        }
    }

    private mutating func check(
        _ group: JournalCommit.Group, in store: any JournalStore
    ) throws {
        found.groups += 1
        found.bytes += group.bytes.count
        position = group.number
        do {
            for bytes in try RecordFraming.records(in: group.bytes, number: group.number) {
                found.records += 1
                let record = try Record(decoding: bytes)
                try apply(record, of: group.number, in: store)
            }
        } catch let error as StoreError {
            throw error
        } catch {
            note("group \(group.number): \(error)")
        }
    }

    private mutating func apply(
        _ record: Record, of group: GroupNumber, in store: any JournalStore
    ) throws {
        // A session without a name has ended, or is known to be damaged.
        guard let name = names[record.session] else { return }
        if restored[record.session] == nil {
            guard let stored = try store.image(of: record.session) else { return }
            restored[record.session] = Restored(
                image: try SessionImage(decoding: stored.bytes), base: stored.base)
        }
        guard let base = restored[record.session]?.base, group > base else { return }
        do {
            try restored[record.session]?.image.apply(record)
        } catch {
            note("session '\(name)', group \(group): \(error)")
            names[record.session] = nil
        }
    }
}
