// JobStore: the jobs of a session, and the file that keeps them.
//
// Isolation  actor (default): files are read and written off the loop, one change after another.
// Ownership  owns the table, which anybody may read.
// Invariant  what is asked for is on disk before it is in the table. What has been observed is in
//            the table at once, and on disk as soon as it can be.

import FoundationEssentials
import JobsContract
import NapkinCore

/// Keeps a session's jobs on disk.
actor JobStore {
    nonisolated let table = StateCell(JobTable())
    /// Whether the last write failed. What the table has noted may be missing in the file.
    private(set) var isBehind = false
    private let session: SessionContext
    private let file: URL

    init(session: SessionContext) {
        self.session = session
        file = URL(filePath: "\(session.dataDirectory)/\(session.id).json")
    }

    /// Takes up the jobs that were kept, if there is a file. One that cannot be read is put aside.
    func load() {
        guard FileManager.default.fileExists(atPath: file.path()) else { return }
        do {
            let kept = try JSONDecoder().decode([Job].self, from: Data(contentsOf: file))
            table.value = JobTable(kept: kept)
        } catch {
            session.logger.error("kept jobs cannot be read", metadata: ["error": "\(error)"])
            let aside = file.appendingPathExtension("bad")
            // There is none, as a rule.
            try? FileManager.default.removeItem(at: aside)
            // What cannot be moved is replaced by the next change.
            try? FileManager.default.moveItem(at: file, to: aside)
        }
    }

    /// Makes a change that somebody asks for, or none at all: if it cannot be saved, it is refused.
    func change<Result: Sendable>(
        _ change: @Sendable (inout JobTable) throws(JobError) -> Result
    ) throws(JobError) -> Result {
        var next = table.value
        let result = try change(&next)
        if isBehind || next.jobs != table.value.jobs { try save(next) }
        table.value = next
        return result
    }

    /// Takes note of a job's end, which is true whether it can be saved or not.
    func noteEnd(of job: Job) {
        table.update { $0.end(job) }
        // Otherwise the store is behind, and the next change saves it, too.
        try? save(table.value)
    }

    private func save(_ table: JobTable) throws(JobError) {
        do {
            try JSONEncoder().encode(table.jobs).write(to: file, options: .atomic)
            isBehind = false
        } catch {
            if !isBehind {
                session.logger.error("jobs cannot be kept", metadata: ["error": "\(error)"])
            }
            isBehind = true
            throw .notKept("\(error)")
        }
    }
}
