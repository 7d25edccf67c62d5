// SessionRename: gives a session another name, which no session has on any machine of the cluster.
//
// Spec       Protocol/TOOLS.md, section 2 (Sessions)

import NapkinHost
import NapkinLedger
import NapkinProtocol

/// One rename, from a tool's request to the worker's answer.
@MainActor
struct SessionRename {
    let apps: HostedApps
    let session, name: String

    /// - Parameter query: the request, which the session's worker performs.
    func perform(_ query: Query) async throws(Refusal) -> AnswerPiece {
        let worker = try await apps.awakenedOwner(of: session)
        let journal = worker.id.fileName
        // First, so that nobody opens a new session of the former name while the database is asked.
        try await apps.cluster?.keep(name, in: journal)
        // What it refuses may be in the same journal, of which the name is then rightly kept.
        switch apps.sessions.renameRequested(session, to: name, at: apps.now) {
        case .tell: break
        case .refuseUnknown:
            await apps.cluster?.release(name, in: journal)
            throw apps.sessions.unknown(session)
        case .refuseTaken(let owner):
            if owner != worker.id.app { await apps.cluster?.release(name, in: journal) }
            throw .renaming(to: name, of: owner)
        }
        do throws(Refusal) {
            guard let answer = try await worker.query(query),
                let renaming = answer.bytes.withUnsafeBytes({ $0.decoded(Renaming.self) })
            else { throw .notRunning(session) }
            apps.sessions.renameAnswered(renaming)
            return answer
        } catch {
            apps.sessions.renameFailed(session, to: name)
            // A worker that does not answer may still do it: then the name lapses by itself.
            if error.code != .workerUnavailable { await apps.cluster?.release(name, in: journal) }
            throw error
        }
    }
}

extension ClusterMember {
    /// Keeps a name for a session of a journal here.
    ///
    /// Throws if another journal has the name.
    fileprivate func keep(_ name: String, in journal: String) async throws(Refusal) {
        var isKept = false
        while !isKept {
            let found = try await find(name)
            let app = found.map { WorkerID(fileName: $0.journal)?.app ?? $0.journal }
            if let found, let app, found.journal != journal {
                throw found.isStored ? .renaming(to: name, of: app) : .kept(name, for: app)
            }
            isKept = try await ask { (database) throws(StoreError) in
                try database.reserve(name, in: journal)
            }
            // Another journal keeps the name of a session that is stored here.
            if !isKept, let app { throw .kept(name, for: app) }
        }
    }

    fileprivate func release(_ name: String, in journal: String) async {
        // It lapses anyway.
        _ = try? await ask { (database) throws(StoreError) in
            try database.release(name, in: journal)
        }
    }
}

extension Refusal {
    fileprivate static func kept(_ name: String, for app: String) -> Refusal {
        Refusal(
            .badRequest,
            "the name '\(name)' is kept for a new session of \(app): choose another name, or try "
                + "again in a minute")
    }
}
