// HeldListing: the held programs of this machine's sessions, from the files of their keepers.

import NapkinProtocol
import NapkinRuntime
import NapkinTransport

/// One held program. Scripts read its JSON: keys are added, never changed.
struct HeldListing: Encodable {
    var app: String
    /// The id of its session, which is its name unless it was renamed.
    var session: String
    var key: String
    var state: HeldInfo.State
    /// The program's process; absent if it has ended.
    var pid: Int32?
    /// Bytes that it has written so far.
    var output: UInt64
    var command: String
    /// The disk's error for which it waits.
    private(set) var waits: Int32 = 0
    private(set) var files: HeldFiles

    private enum CodingKeys: String, CodingKey {
        case app, session, key, state, pid, output, command, waits
    }

    private init?(app: String, session: String, key: String, _ path: String) {
        guard let files = HeldFiles(path), let facts = files.facts() else { return nil }
        (self.app, self.session, self.key, self.files) = (app, session, key, files)
        let info = HeldInfo(key, facts)
        (state, pid, command) = (info.state, info.pid, info.command)
        (output, waits) = (facts.end, facts.waits)
    }

    /// Returns the programs of a state directory, by app, session and key.
    static func all(in stateDirectory: String) -> [HeldListing] {
        let programs = stateDirectory + "/programs"
        return (DirectoryNames.of(programs) ?? []).sorted().flatMap { app in
            HeldFiles.names(in: "\(programs)/\(app)").flatMap { session in
                let directory = "\(programs)/\(app)/\(session)\(HeldFiles.suffix)"
                return HeldFiles.names(in: directory).compactMap { key in
                    HeldListing(
                        app: app, session: session, key: key,
                        "\(directory)/\(key)\(HeldFiles.suffix)")
                }
            }
        }
    }

    /// `build of jobs (process 12)`.
    var title: String { "\(key) of \(session)" + (pid.map { " (process \($0))" } ?? "") }

    /// Returns a check if something about it is worth reporting.
    ///
    /// - Parameter sessions: the existing sessions; `nil` if they are unknown.
    func check(among sessions: [String]?) -> Check? {
        let name = "program \(title)"
        if waits != 0 {
            return .problem(
                name, "it waits, since its output cannot be written (errno \(waits))",
                do: "free some space: it goes on by itself, and nothing is lost")
        }
        guard state == .running, let sessions, !sessions.contains(session) else { return nil }
        return .note(
            name, "it runs, and its session is gone: \(command)",
            do: "`napkin-client kill \(session) --programs` ends it; a new session of that name "
                + "finds it again")
    }

    // MARK: - Ending

    /// The time until SIGKILL. Chosen: as for a program that belongs to a call.
    private static let grace = Duration.seconds(5)

    /// Ends programs and removes their files.
    ///
    /// - Returns: those that have not ended soon after SIGKILL, as when a disk does not answer.
    @MainActor
    static func end(_ programs: [HeldListing]) async -> [HeldListing] {
        for program in programs { program.files.end(grace: grace) }
        let deadline = ContinuousClock.now + grace + .seconds(2)
        var left = programs
        while true {
            left.removeAll { $0.files.facts()?.isAlive != true }
            guard !left.isEmpty, .now < deadline else { break }
            // Their files belong to keepers, which nobody here watches.
            await LoopTimer.wait(.milliseconds(50))
        }
        for program in programs { program.files.remove() }
        return left
    }

    /// Ends the programs if that was requested; otherwise reports the running ones. Returns the
    /// exit status.
    @MainActor
    static func endOrReport(_ programs: [HeldListing], ending: Bool, advice: String) async -> Int32
    {
        guard ending else {
            let running = programs.filter { $0.state == .running }.map(\.title)
            if !running.isEmpty {
                let titles = running.joined(separator: ", ")
                ClientFailure.say("still running: \(titles); \(advice)")
            }
            return 0
        }
        let left = await end(programs)
        for title in left.map(\.title) {
            ClientFailure.say("\(title) has not ended: it waits for a disk, or is being traced")
        }
        return left.isEmpty ? 0 : ExitTable.failed
    }
}
