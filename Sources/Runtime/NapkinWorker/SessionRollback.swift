// SessionRollback: keeps a session as it was when an input ended its worker, and rolls back by one
// record a session whose newest state ends each launch.
//
// Invariant  nothing is changed before the newest state is in a file, which `ledger import` reads.
//            It is restored if the earlier state does not help: if each launch dies.
// Spec       Protocol/SPEC.md, section 9.6 (Inputs that end their worker)

import Glibc
import Logging
import NapkinHost
import NapkinLedger
import NapkinProtocol
import NapkinRuntime
import NapkinTransport

/// Rolls back sessions in one app's journal.
@MainActor
struct SessionRollback {
    let journal: Journal
    let app: String
    /// The files of the newest states, each under the number of its receipt.
    let files: CrashFiles
    let logger: Logger

    /// Returns the image from which the session is restored, and a launch that may be tried. Throws
    /// if there is none.
    ///
    /// - Parameter epoch: the epoch of the session's host.
    func restorable(
        _ session: String, epoch: UInt32
    ) async throws -> (image: SessionImage, launch: LaunchCall) {
        if let receipt = FlightRecorder.newestReceipt(of: session) {
            await keepImage(of: session, for: receipt)
        }
        let (image, launch) = try await stored(session, epoch)
        guard let receipt = launch.setAside else { return (image, launch) }
        // One step back; no second step before it is known whether the first has helped.
        let trials = await trials(of: image.title.id)
        if trials.isEmpty, try await rollBack(session, after: receipt) {
            do {
                return try await stored(session, epoch)
            } catch is ImageError {
                try await undo(session, image.title.id, "cannot be read")
            }
        } else {
            try await undo(session, image.title.id, "ends the worker, too")
        }
        // The journal need not keep a former record.
        journal.release(session)
        throw RestoreFailure(receipt: receipt, of: app)
    }

    private func stored(
        _ session: String, _ epoch: UInt32
    ) async throws -> (image: SessionImage, launch: LaunchCall) {
        guard let image = try await journal.image(named: session) else {
            throw RestoreFailure(reason: "it is listed, but nothing of it is stored")
        }
        return (image, LaunchCall(of: session, epoch: epoch, restoring: image))
    }

    /// Keeps the session as it is stored, once for each receipt: `napkin-client crash replay`
    /// starts from it.
    private func keepImage(of session: String, for receipt: UInt64) async {
        // The receipt may be one of the oldest, and already removed.
        guard files.existing(receipt, .image) == nil, files.existing(receipt, .receipt) != nil
        else { return }
        do {
            let file = try await journal.tools.export(session, of: app)
            // If there is none, or if it is too large, the receipt reports so when it is replayed.
            guard let file, file.count <= Receipt.bytesMax else { return }
            guard WholeFile.write(file, to: files.path(receipt, .image)) else {
                throw RestoreFailure(reason: String(cString: strerror(errno)))
            }
        } catch {
            logger.warning(
                "image not kept", metadata: ["receipt": "\(receipt)", "reason": "\(error)"])
        }
    }

    /// Keeps the newest state in a file, and stores the former one in its place. Returns false if
    /// no former state is stored.
    private func rollBack(_ session: String, after receipt: UInt64) async throws -> Bool {
        guard let history = try await journal.tools.history(of: session),
            let former = history.former
        else { return false }
        guard let file = try await journal.tools.export(session, of: app),
            file.count <= LedgerLimits.exportBytesMax
        else { return false }
        let path = files.path(receipt, .trial)
        try files.directory.ensure()
        guard WholeFile.write(file, to: path) else {
            let reason = String(cString: strerror(errno))
            throw RestoreFailure(reason: "\(path) cannot be written: \(reason)")
        }
        try await journal.tools.rewind(to: try await history.rewound(to: former))
        logger.error(
            "session restored from the record before its newest, which has ended the worker twice",
            metadata: [
                "session.id": "\(session)", "receipt": "\(receipt)", "record": "\(former)",
                "kept": "\(files.path(receipt, .session))",
            ])
        return true
    }

    /// The newest states of the session that are kept until a trial ends; at most one.
    private func trials(of id: String) async -> [(receipt: UInt64, file: [UInt8])] {
        var trials: [(UInt64, [UInt8])] = []
        for receipt in files.receipts(with: .trial) {
            let file = files.bytes(receipt, .trial, bytesMax: LedgerLimits.exportBytesMax)
            // A file that cannot be read is left for a person; and another session may have had
            // the name.
            guard let file, let export = try? await SessionExport.read(file),
                export.image.title.id == id
            else { continue }
            trials.append((receipt, file))
        }
        return trials
    }

    /// The session has been launched; if it was launched from the former state, that state stays.
    func hasHelped(_ session: String, _ id: String) async {
        for (receipt, _) in await trials(of: id)
        where rename(files.path(receipt, .trial), files.path(receipt, .session)) == 0 {
            FlightRecorder.takenBack[session] = receipt
        }
    }

    /// The state of a session that was to be launched cannot be read. If it is a former state,
    /// restores the newest one. Returns why the session is not restored.
    func notRead(
        _ session: String, _ id: String, _ failure: RestoreFailure
    ) async -> RestoreFailure {
        do {
            guard let receipt = try await undo(session, id, failure.reason) else { return failure }
            journal.release(session)
            return RestoreFailure(receipt: receipt, of: app)
        } catch {
            // The former state stays, and the file has the newest one.
            logger.error("session not put back", metadata: ["reason": "\(error)"])
            return failure
        }
    }

    /// The former state does not help, for this reason: restores the newest one. Returns the
    /// receipt of its second death; `nil` if the session is not restored from a former state.
    @discardableResult
    private func undo(_ session: String, _ id: String, _ reason: String) async throws -> UInt64? {
        var undone: UInt64?
        for (receipt, file) in await trials(of: id) {
            let path = files.path(receipt, .trial)
            do {
                try await journal.tools.putBack(session, from: file)
            } catch {
                throw RestoreFailure(reason: "\(path) cannot be put back: \(error)")
            }
            unlink(path)
            undone = receipt
            logger.notice(
                "session put back as it was: the record before does not help",
                metadata: [
                    "session.id": "\(session)", "receipt": "\(receipt)", "reason": "\(reason)",
                ])
        }
        return undone
    }
}
