// StepBack: keeps a session as it was when its input ended its worker, and takes one whose newest
// state does that back to the record before.
//
// Invariant  nothing is changed before the newest state is a file, which `ledger import` reads. It is
//            put back if the state before does not help: then each launch dies, of a migration for one.
// Spec       Protocol/SPEC.md, section 9.6 (Inputs that end their worker)

import Glibc
import Logging
import NapkinHost
import NapkinLedger
import NapkinProtocol
import NapkinRuntime
import NapkinTransport

/// Goes back in one app's journal.
@MainActor
struct StepBack {
    let journal: Journal
    let app: String
    /// The directory of the app's receipts, where the newest states are kept, each under the number
    /// of the receipt.
    let directory: SocketDirectory
    let logger: Logger

    /// Keeps the session as it is stored, once for each receipt: `napkin-client crash replay`
    /// begins with it.
    func keepImage(of session: String, for receipt: UInt64) async {
        let path = "\(directory.path)/\(receipt).image"
        // The receipt may be one of the oldest, and gone.
        guard access(path, F_OK) != 0, access("\(directory.path)/\(receipt).receipt", F_OK) == 0
        else { return }
        do {
            let file = try await journal.tools.export(session, of: app)
            // Where there is none, or a larger one, the receipt says so when it is replayed.
            guard let file, file.count <= Receipt.bytesMax else { return }
            guard WholeFile.write(file, to: path) else {
                throw RestoreFailure(reason: String(cString: strerror(errno)))
            }
        } catch {
            logger.warning(
                "image not kept", metadata: ["receipt": "\(receipt)", "reason": "\(error)"])
        }
    }

    /// Keeps the newest state, and stores the former one in its place. Returns false if no former
    /// state is stored.
    func go(_ session: String, after receipt: UInt64) async throws -> Bool {
        guard let history = try await journal.tools.history(of: session),
            let former = history.former
        else { return false }
        guard let file = try await journal.tools.export(session, of: app),
            file.count <= LedgerLimits.exportBytesMax
        else { return false }
        let path = trial(receipt)
        try directory.ensure()
        guard WholeFile.write(file, to: path) else {
            let reason = String(cString: strerror(errno))
            throw RestoreFailure(reason: "\(path) cannot be written: \(reason)")
        }
        try await journal.tools.rewind(to: try await history.rewound(to: former))
        FlightRecorder.takenBack[session] = receipt
        logger.error(
            "session restored from the record before its newest, which has ended the worker twice",
            metadata: [
                "session.id": "\(session)", "receipt": "\(receipt)", "record": "\(former)",
                "kept": "\(kept(receipt))",
            ])
        return true
    }

    private func kept(_ receipt: UInt64) -> String { "\(directory.path)/\(receipt).session" }
    /// The newest state, until the one before it has been launched or has failed, too.
    private func trial(_ receipt: UInt64) -> String { kept(receipt) + ".trial" }

    /// The session has been launched from the former state, if it was taken back: so it stays.
    func hasHelped(_ session: String) {
        for receipt in FlightRecorder.launchReceipts(of: session)
        where rename(trial(receipt), kept(receipt)) == 0 {
            logger.notice(
                "session taken back",
                metadata: ["session.id": "\(session)", "kept": "\(kept(receipt))"])
        }
    }

    /// The former state ends the worker, too: puts back the newest one.
    func undo(_ session: String) async throws {
        for receipt in FlightRecorder.launchReceipts(of: session) {
            let path = trial(receipt)
            let trial = CheckedFile(path: path, bytesMax: LedgerLimits.exportBytesMax)
            guard let file = try trial.bytes() else { continue }
            try await journal.tools.putBack(session, from: file)
            unlink(path)
            logger.notice(
                "session put back as it was: the record before ends the worker, too",
                metadata: ["session.id": "\(session)", "receipt": "\(receipt)"])
        }
    }
}
