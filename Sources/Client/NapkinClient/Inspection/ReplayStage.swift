// ReplayStage: a separate directory in which a receipt's program runs once more.
//
// Ownership  owns the directory and the napkind in it, until `remove`.
// Invariant  the program finds nothing of the user's except the settings of apps.

import Glibc
import NapkinCoding
import NapkinFront
import NapkinProtocol
import NapkinTransport

@MainActor
final class ReplayStage {
    struct Result {
        var deaths: [Receipt]
        /// How the last input ended.
        var answer: String
    }

    /// How long napkind may take to end. Chosen: its worker has little to do.
    private static let endingTime = Duration.seconds(10)

    /// How long a debugger may take to run the program. Chosen: it reads symbols first.
    private static let debuggerTime = Duration.seconds(120)

    /// The manifest that the replay's napkind reads.
    private struct Manifest: Encodable {
        var id: String
        var worker: AppManifest.Program
        var limits: AppLimits?
    }

    private let receipt: Receipt
    private let directory: String

    /// Uses the stage that another process has created.
    init(of receipt: Receipt, in directory: String) {
        (self.receipt, self.directory) = (receipt, directory)
    }

    init(of receipt: Receipt) throws(ClientFailure) {
        self.receipt = receipt
        var name = Array("/tmp/napkin-replay-XXXXXX".utf8CString)
        guard mkdtemp(&name) != nil else { throw FileText.failure("create", "/tmp") }
        directory = name.withUnsafeBufferPointer {
            String(cString: $0.baseAddress.unsafelyUnwrapped)
        }
        for part in ["apps", "run", "state"] { mkdir("\(directory)/\(part)", 0o700) }
        let manifest = Manifest(
            id: receipt.app,
            worker: AppManifest.Program(
                path: receipt.program, arguments: receipt.arguments ?? [],
                environment: variables),
            limits: limits)
        try FileText.write(
            String(decoding: try JSONOutput.text(of: manifest), as: UTF8.self),
            to: "\(directory)/apps/\(receipt.app).json")
    }

    private var socket: String { "\(directory)/run/napkind.sock" }
    private var places: [String] { ["--socket", socket, "--state-dir", "\(directory)/state"] }

    /// The program without napkind, as a command.
    var inProcess: [String] {
        [receipt.program] + (receipt.arguments ?? []) + ["--in-process"] + places
    }

    /// The variables that determine where the program has its files.
    private static let homes = ["XDG_DATA_HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME"]

    /// The manifest's variables, except those.
    private var variables: [String: String] {
        (receipt.environment ?? [:]).filter { !Self.homes.contains($0.key) }
    }

    /// The manifest's limits that may have caused the death. The others limit fronts' requests, and
    /// a replay sends all of them at once.
    private var limits: AppLimits? {
        guard var limits = receipt.limits else { return nil }
        (limits.sessions, limits.fronts, limits.events) = (nil, nil, nil)
        return limits
    }

    /// The environment in which the program finds no files of its own.
    private var environment: [String: String] {
        var environment = OwnProgram.environment
        for name in Self.homes { environment[name] = "\(directory)/\(name.lowercased())" }
        return environment
    }

    /// Runs the replay under a separate napkind.
    func deaths(of replay: Replay) async throws(ClientFailure) -> Result {
        var launcher = DaemonProgram.launcher
        launcher.arguments = places + ["--apps", "\(directory)/apps"]
        launcher.logPath = "\(directory)/log"
        launcher.environment = environment
        let address = DaemonAddress(socket: socket, launcher: launcher)
        let connection = try await ClientFailure.ofFront { () async throws(FrontError) in
            try await DaemonConnection.connect(
                to: address, client: MainCommand.name, role: .tool)
        }
        let result: Swift.Result<Result, ClientFailure>
        do throws(ClientFailure) {
            let answer = try await replay.run(in: DaemonAddress(socket: socket))
            let deaths: [Receipt] = try await DaemonOptions().ask(
                .crashes(app: receipt.app), of: connection)
            result = .success(Result(deaths: deaths, answer: answer))
        } catch {
            result = .failure(error)
        }
        let napkind = connection.welcome.pid
        connection.close()
        await end(napkind)
        return try result.get()
    }

    /// Becomes a debugger of the program; another process of this program sends the inputs. The
    /// debugger has one end of a pipe for as long as it runs, and that process has the other.
    func debug(_ words: [String]) throws(ClientFailure) -> Never {
        let file = "\(directory)/receipt"
        try SessionFile.write(receipt, to: file)
        for (name, value) in environment.merging(variables, uniquingKeysWith: { $1 }) {
            setenv(name, value, 1)
        }
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw FileText.failure("open", "a pipe") }
        _ = fcntl(ends[1], F_SETFD, FD_CLOEXEC)
        _ = try ClientFailure.ofSystem { () throws(TransportError) in
            try ChildProcess(
                ChildProcess.Configuration(
                    executable: OwnProgram.path ?? MainCommand.name,
                    arguments: ["crash", "replay", file, "--into", directory],
                    environment: environment, descriptors: [0: ends[0]], detached: true)
            ) { _ in }
        }
        close(ends[0])
        _ = fcntl(ends[1], F_SETFD, 0)
        try DaemonOptions.become(words)
    }

    /// Sends the inputs to the program in the debugger, and removes the stage after the debugger.
    func send(_ replay: Replay) async throws(ClientFailure) {
        let address = DaemonAddress(socket: socket)
        // The debugger's screen is not ours.
        Task { try? await replay.run(in: address, within: Self.debuggerTime) }
        let (debugging, end) = AsyncStream<Never>.makeStream()
        let watcher = try ClientFailure.ofSystem { () throws(TransportError) in
            try DescriptorWatcher(STDIN_FILENO) { end.finish() }
        }
        for await _ in debugging {}
        watcher.cancel()
        await remove()
    }

    func remove() async {
        _ = await ChildProcess.run(
            ChildProcess.Configuration(executable: "rm", arguments: ["-rf", "--", directory]))
    }

    private func end(_ napkind: Int32) async {
        kill(napkind, SIGTERM)
        let end = ContinuousClock.now + Self.endingTime
        while kill(napkind, 0) == 0, ContinuousClock.now < end {
            await LoopTimer.wait(.milliseconds(10))
        }
    }
}
