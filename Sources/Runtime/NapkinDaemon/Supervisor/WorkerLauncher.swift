// WorkerLauncher: starts a worker.

import Glibc
import NapkinCore
import NapkinHost
import NapkinProtocol
import NapkinTransport

struct WorkerLauncher: Sendable {
    let options: WorkerOptions
    let logLevel: String
    /// The words of `--set` that name the app.
    let settings: [String]

    /// Starts the app's worker with `listening`, which the caller keeps; returns our end of the
    /// control connection. `onExit` is called once, with the worker's exit status.
    ///
    /// - Parameters:
    ///   - sessions: the sessions that the worker opens at start; `nil` for the app's sessions.
    ///   - output: the worker's output; the caller also keeps it.
    ///   - flight: the memory in which the worker notes what it runs.
    @MainActor
    func start(
        _ app: HostedApp, opening sessions: [String]?, listening: Int32, output: Int32,
        noting flight: SharedMemory?,
        onExit: @escaping @MainActor (ChildProcess.ExitStatus) -> Void
    ) throws(StartError) -> (Channel, ChildProcess) {
        // Not earlier: a program may be installed after its manifest.
        if let objection = app.manifest.worker.objection {
            throw StartError(EX_NOINPUT, objection)
        }
        return try StartError.ofSystem { () throws(TransportError) in
            try Channel.paired { (channel, childEnd) throws(TransportError) in
                let descriptors = [
                    WorkerOptions.listeningDescriptor: listening,
                    WorkerOptions.controlDescriptor: childEnd,
                    WorkerOptions.flightDescriptor: flight?.descriptor,
                    STDOUT_FILENO: output, STDERR_FILENO: output,
                ].compactMapValues(\.self)
                let process = try ChildProcess(
                    configuration(
                        app.manifest.worker, of: app.id, app.limits, app.manifest.hangSeconds,
                        sessions, descriptors),
                    onExit: onExit)
                return (channel, process)
            }
        }
    }

    private func configuration(
        _ program: AppManifest.Program, of id: String, _ limits: AppLimits,
        _ hang: Int, _ sessions: [String]?, _ descriptors: [Int32: Int32]
    ) -> ChildProcess.Configuration {
        let environment = WorkerEnvironment(of: program, in: OwnProgram.environment)
        return ChildProcess.Configuration(
            executable: program.path,
            // The arguments of an interpreter's script come first.
            arguments: program.arguments + [
                "--worker", id, "--worker-socket", options.socket, "--socket", options.daemonSocket,
                "--state-dir", options.stateDirectory, "--log-level", logLevel,
                // Only options that differ from the default: a worker that was built before there
                // was a choice does not know them.
            ] + (options.ledger.name.map { ["--ledger", $0] } ?? [])
                + (options.machine.map { ["--machine", $0] } ?? [])
                + (hang == AppManifest.hangSecondsDefault ? [] : ["--worker-hang", "\(hang)"])
                + settings.flatMap { ["--set", $0] } + limits.arguments
                + (sessions.map(own) ?? []),
            environment: environment.variables,
            descriptors: descriptors,
            // Ctrl-C in a terminal then reaches only napkind, which drains its workers in order.
            detached: true, workingDirectory: environment.directory,
            gainsNoPrivileges: limits.newPrivileges != true)
    }

    /// Returns the arguments for a worker that may run beside others of its app.
    private func own(_ sessions: [String]) -> [String] {
        ["--worker-number", "\(options.number)"] + sessions.map { "--worker-session=\($0)" }
    }
}
