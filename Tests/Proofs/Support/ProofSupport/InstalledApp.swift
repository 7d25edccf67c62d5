// InstalledApp: an app whose manifest a workplace has.

import Foundation

package struct InstalledApp: Sendable {
    let id: String
    /// The worker's program and its own front's, each by its path or by the name of a product.
    let worker: String
    let front: String?
    let sessions: [String]
    /// Further members of the manifest.
    let more: [String]

    package init(
        _ id: String, worker: String, front: String? = nil, sessions: [String] = [],
        more: [String] = []
    ) {
        (self.id, self.worker, self.front, self.sessions) = (id, worker, front, sessions)
        self.more = more
    }

    package static let examples = ["cart", "characters", "rib-house", "transcription"].map {
        InstalledApp($0, worker: "\($0)-worker", front: $0)
    }

    /// The example whose session runs also while no front is there.
    package static let desk = InstalledApp(
        "desk", worker: "desk-worker", front: "desk", sessions: ["desk"])

    /// The apps of Tests/Proofs/Fixtures/QuestionDaemon.
    package static let questions = ["questions", "larder"].map {
        InstalledApp($0, worker: "QuestionDaemon")
    }

    /// The apps of Tests/Proofs/Fixtures/StartWorker.
    package static func starts() -> [InstalledApp] {
        [
            InstalledApp("till", worker: "StartWorker", sessions: ["main"]),
            InstalledApp("guest", worker: "StartWorker"),
        ]
    }

    /// The apps of Tests/Proofs/Fixtures/LedgerWorker.
    package static let tallies = ["tally", "quick-tally"].map {
        InstalledApp($0, worker: "LedgerWorker")
    }

    /// That of Tests/Proofs/Fixtures/LedgerWorker with timers and jobs.
    package static let agenda = InstalledApp("agenda", worker: "LedgerWorker")

    /// An app of Tests/Proofs/Fixtures/LedgerWorker in several versions.
    package static let diary = InstalledApp("diary", worker: "LedgerWorker")

    /// Writes the manifest. What is wrong with it is said by the napkind that reads it.
    ///
    /// - Parameter environment: what its worker is to find there.
    func install(in directory: String, environment: [String: String]) {
        func program(_ name: String, _ more: String = "") -> String {
            // A product that has not been built is missing then.
            let path = name.contains("/") ? name : (try? Product.path(name)) ?? "/\(name)"
            return #"{"program": "\#(path)"\#(more)}"#
        }
        let variables = environment.map { #""\#($0)": "\#($1)""# }.joined(separator: ", ")
        var members = [
            #""id": "\#(id)""#,
            #""worker": \#(program(worker, #", "environment": {\#(variables)}"#))"#,
        ]
        if let front { members.append(#""front": \#(program(front))"#) }
        members += [#""sessions": \#(sessions)"#] + more
        let path = "\(directory)/\(id).json"
        // A workplace without its apps would be seen at once.
        try? FileManager.default.createDirectory(
            atPath: directory, withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700])
        _ = FileManager.default.createFile(
            atPath: path, contents: Data("{\(members.joined(separator: ", "))}".utf8),
            attributes: [.posixPermissions: 0o600])
    }
}
