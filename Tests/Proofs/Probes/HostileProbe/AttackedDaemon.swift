// AttackedDaemon: the napkind that is attacked.
//
// Ownership  the daemon ends with the attack.

import ArgumentParser
import Glibc
import ProofSupport

/// A daemon that hosts the app `questions`.
struct AttackedDaemon {
    let place: Workplace
    let pid: Int32
    var socket: String { place.socket }

    /// Starts one, and ends it in good order; a command fails where that or the attack does.
    ///
    /// - Parameter position: how far the attack has come, for what is printed then.
    static func attacked(
        at position: () -> String = { "" }, by attack: (AttackedDaemon) throws -> Void
    ) throws {
        let place = Workplace(
            daemon: "QuestionDaemon", apps: InstalledApp.questions,
            inDirectory: Scale.environment)
        defer { place.cleanUp() }
        do {
            let spawned = try place.spawn(["--log-level", "error"], keepsErrors: false)
            try Failure.unless(
                !Spawned.read(spawned.output).isEmpty, "napkind ended before it was ready")
            let outcome = Result { try attack(AttackedDaemon(place: place, pid: spawned.pid)) }
            kill(spawned.pid, SIGTERM)
            let status = Spawned.wait(for: spawned.pid)
            try outcome.get()
            try Failure.unless(status == 0, "napkind ended with status \(status)")
        } catch {
            print("violation  \(position())\(error)")
            throw ExitCode(1)
        }
    }
}
