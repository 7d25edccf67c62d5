// JobStore: the file with the jobs of a session.
//
// Layer      feature.
// Isolation  actor (default): files are read and written off the loop.

import FoundationEssentials
import JobsContract

/// Keeps the newest jobs it has been given.
actor JobStore {
    private let file: URL
    private var newest = 0

    init(path: String) {
        file = URL(filePath: path)
    }

    /// The jobs that were kept; none if there is no file. One that cannot be read is put aside.
    func load() throws -> [Job] {
        guard FileManager.default.fileExists(atPath: file.path()) else { return [] }
        do {
            return try JSONDecoder().decode([Job].self, from: Data(contentsOf: file))
        } catch {
            let aside = file.appendingPathExtension("bad")
            // There is none, as a rule.
            try? FileManager.default.removeItem(at: aside)
            try FileManager.default.moveItem(at: file, to: aside)
            throw error
        }
    }

    /// Replaces the file, unless later jobs are there already. Calls may overtake one another.
    func save(_ jobs: [Job], version: Int) throws(JobError) {
        guard version > newest else { return }
        do {
            try JSONEncoder().encode(jobs).write(to: file, options: .atomic)
        } catch {
            throw .notKept("\(error)")
        }
        newest = version
    }
}
