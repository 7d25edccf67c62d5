// WorkerCommand: the command line of an app's program, as napkind or a person starts it.

import ArgumentParser
import Glibc
import NapkinCore
import NapkinHost
import NapkinProtocol
import NapkinRuntime
import NapkinTransport
import Synchronization

/// The options of an app's program. napkind appends its own to those of the manifest.
struct WorkerCommand: HostCommand {
    private static let linked = Mutex<[any App.Type]>([])

    /// The apps that are linked into this program; set before a command is parsed.
    static var apps: [any App.Type] {
        get { linked.withLock { $0 } }
        set { linked.withLock { $0 = newValue } }
    }

    static var configuration: CommandConfiguration {
        let ids = apps.map { $0.id }
        return CommandConfiguration(
            abstract: "Hosts \(ids.joined(separator: " and ")) in a worker process.",
            discussion: """
                napkind starts it when the app's manifest is installed; then
                `napkin-client attach \(ids.first ?? "APP")` shows the app.

                With --in-process it listens by itself, for a debugger, and needs no napkind.
                """,
            version: "\(ids.joined(separator: " ")), napkin \(NapkinVersion.text)")
    }

    @Flag(help: "Listen without napkind, and host the app in this process.")
    var inProcess = false

    @OptionGroup var host: HostOptions

    @Option(help: .hidden) var worker: String?
    @Option(help: .hidden) var workerSocket: String?
    /// The number of the worker among several.
    @Option(help: .hidden) var workerNumber: Int?
    /// The sessions that this one of several workers opens at start.
    @Option(help: .hidden) var workerSession: [String] = []
    /// The number of events per second that may run for each front.
    @Option(help: .hidden) var workerEvents: Int?

    /// The seconds that the loop of a child's process may leave a ping unanswered.
    @Option(help: .hidden) var workerHang = AppManifest.hangSecondsDefault
    /// The feature that this process runs for the worker that has started it.
    @Option(help: .hidden) var workerChild: String?

    var descriptors: Set<Int32> {
        if workerChild != nil { return [ProcessRunner.descriptor, WorkerOptions.flightDescriptor] }
        if worker != nil {
            return [
                WorkerOptions.listeningDescriptor, WorkerOptions.controlDescriptor,
                WorkerOptions.flightDescriptor,
            ]
        }
        return Set([host.readyFd, ActivatedSocket.descriptor].compactMap(\.self))
    }

    var logLabel: String {
        workerChild.map { "child.\($0)" } ?? worker.map { "worker.\($0)" } ?? "napkind"
    }
    static var usesPool: Bool { true }

    func validate() throws {
        if workerChild != nil { return }
        guard worker == nil else {
            guard host.socket != nil, host.stateDir != nil, workerSocket != nil, hasConnections
            else { throw ValidationError("--worker is used by napkind, not by people") }
            return
        }
        guard inProcess else {
            let id = Self.apps.first.map { $0.id } ?? "APP"
            throw ValidationError(
                "napkind starts this program: install the app's manifest, then "
                    + "`napkin-client attach \(id)`; or give --in-process")
        }
    }

    /// Whether napkind has passed the two sockets of a worker.
    private var hasConnections: Bool {
        [WorkerOptions.listeningDescriptor, WorkerOptions.controlDescriptor].allSatisfy {
            descriptor in
            var status = stat()
            return fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFSOCK
        }
    }

    @MainActor
    func serve() async throws(StartError) -> Int32 {
        guard let worker else {
            return try await InProcessHost(Self.apps, host).run()
        }
        guard let app = Self.apps.first(where: { $0.id == worker }) else {
            let known = Self.apps.map { $0.id }.joined(separator: ", ")
            throw StartError(EX_SOFTWARE, "this program has no app '\(worker)'; it has \(known)")
        }
        FlightRecorder.open(descriptor: WorkerOptions.flightDescriptor)
        CrashHandler.install()
        if let workerChild {
            ProcessOutput.keep(in: LogFile(of: worker, in: host.stateDir ?? ""))
            return try await Self.serve(child: workerChild, of: app)
        }
        serveChildren(of: app)
        if JournalStream.isOurs { JournalStream.open(as: worker) }
        ProcessOutput.keep(in: LogFile(of: worker, in: host.stateDir ?? ""))
        let workerOptions = WorkerOptions(
            socket: workerSocket ?? "", daemonSocket: host.socket ?? "",
            stateDirectory: host.stateDir ?? "", ledger: host.ledgerBackend,
            machine: host.machine, number: workerNumber ?? 0)
        return try await WorkerHost(
            app: app, options: workerOptions, settings: host.settings,
            opening: workerNumber == nil ? nil : workerSession, eventsMax: workerEvents,
            descriptors: (WorkerOptions.listeningDescriptor, WorkerOptions.controlDescriptor)
        ).run()
    }

    // MARK: - Children in processes

    /// Makes the children of this worker that want a process run in this program.
    @MainActor
    private func serveChildren(of app: any App.Type) {
        let (id, level, directory) = (app.id, host.logLevelName, host.stateDir ?? "")
        let settings = ProcessRunner.Settings(
            features: Set(app.isolatedChildren.map { $0.feature }),
            flightDescriptor: WorkerOptions.flightDescriptor,
            patience: workerHang == 0 ? nil : .seconds(workerHang)
        ) {
            [
                "--worker", id, "--worker-child", $0.rawValue, "--log-level", level,
                "--state-dir", directory,
            ]
        }
        ProcessChild.makeRunner = { ProcessRunner($0, settings) }
    }

    /// Runs one child, in the process that its worker has started.
    @MainActor
    private static func serve(
        child feature: String, of app: any App.Type
    ) async throws(StartError) -> Int32 {
        let builder = app.isolatedChildren.first { $0.feature.rawValue == feature }
        guard let builder else {
            throw StartError(
                EX_SOFTWARE,
                "\(app.id) has no builder for the child '\(feature)': name it in isolatedChildren")
        }
        return await ChildHost(builder).run()
    }
}
