// WorkerProcess: starts a worker, as a separate process or inside the daemon.
//
// Layer      daemon.
// Isolation  @MainActor: the loop thread.

import Glibc
import NapkinCore
import NapkinProtocol
import NapkinTransport

/// The places of a worker's sockets and lock.
struct WorkerPlace: Sendable {
    /// The worker's socket, to which fronts connect.
    var socket: String
    var daemonSocket: String
    var stateDirectory: String
}

/// How workers are started.
struct WorkerLauncher: Sendable {
    var place: WorkerPlace
    var logLevel: String
    /// The words of `--set` that name the app.
    var settings: [String]
    /// Whether an app that is linked is hosted in this process.
    var isInProcess: Bool

    /// Starts the app's worker with `listening`, which the caller keeps; returns our end of the
    /// control connection. `onExit` is called once, with the worker's exit status.
    @MainActor
    func start(
        _ app: HostedApp, listening: Int32,
        onExit: @escaping @MainActor (ChildProcess.ExitStatus) -> Void
    ) throws(StartError) -> (Channel, ChildProcess?) {
        if let objection = app.program?.objection { throw StartError(EX_NOINPUT, objection) }
        do throws(TransportError) {
            let (channel, childEnd) = try Channel.pair()
            if isInProcess, case .linked(let app) = app.source {
                try hostHere(app, listening: listening, control: childEnd, onExit)
                return (channel, nil)
            }
            defer { close(childEnd) }
            let process = try ChildProcess(
                configuration(app, listening, childEnd), onExit: onExit)
            return (channel, process)
        } catch {
            throw StartError(error)
        }
    }

    private func configuration(
        _ app: HostedApp, _ listening: Int32, _ control: Int32
    ) -> ChildProcess.Configuration {
        let program = app.program
        var environment = OwnProgram.environment
        environment.merge(program?.environment ?? [:]) { $1 }
        // The crash backtracer keeps a dead worker's sockets open while it prints.
        environment["SWIFT_BACKTRACE"] = "enable=no"
        environment["LISTEN_FDS"] = nil
        environment["LISTEN_PID"] = nil
        return ChildProcess.Configuration(
            executable: program?.path ?? Self.executable,
            // An interpreter's script comes first.
            arguments: (program?.arguments ?? []) + [
                "--worker", app.id, "--worker-socket", place.socket, "--socket", place.daemonSocket,
                "--state-dir", place.stateDirectory, "--log-level", logLevel,
            ] + settings.flatMap { ["--set", $0] },
            environment: environment,
            descriptors: [
                WorkerHost.listeningDescriptor: listening, WorkerHost.controlDescriptor: control,
            ],
            // A terminal's Ctrl-C reaches napkind, which then drains its workers in order.
            detached: true)
    }

    @MainActor
    private func hostHere(
        _ app: any App.Type, listening: Int32, control: Int32,
        _ onExit: @escaping @MainActor (ChildProcess.ExitStatus) -> Void
    ) throws(TransportError) {
        let own = dup(listening)
        let worker: WorkerHost
        do throws(StartError) {
            worker = try WorkerHost(
                app: app, place: place, settings: settings, listening: own, control: control,
                isInProcess: true)
        } catch {
            throw TransportError(
                code: "EINVAL", operation: "host", subject: app.id, message: error.message)
        }
        Task { onExit(.exited(await worker.run())) }
    }

    /// The daemon's own program, which workers run as well.
    private static var executable: String {
        // A program that has been replaced since is still there under this name.
        guard let path = OwnProgram.path, access(path, X_OK) == 0 else { return OwnProgram.link }
        return path
    }
}
