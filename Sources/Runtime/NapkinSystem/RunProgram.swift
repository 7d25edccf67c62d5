// RunProgram: runs a program within a scope and ends it with the scope, or with the worker.
//
// Isolation  none of its own; everything runs where the caller is isolated.
// Ownership  the scope owns the program's process group and the guardian that leads it.
// Invariant  when `runProgram` has returned or thrown, the program has ended, and the rest of its
//            group has been sent SIGKILL.
// Source     setpgid(2), kill(2), pipe(7); swift-subprocess starts the processes and waits.
//
// The guardian is a shell that leads the group, ignores termination signals, and reads a pipe whose
// other end only this process has. However this process dies, the kernel closes that end, and the
// guardian kills the group with itself. It starts before the program does.

import Subprocess
import SystemPackage

/// How a program ended.
public enum ProgramEnd: Hashable, Sendable {
    /// The program exited with this status, 0 to 255; 0 means success.
    case exited(Int32)
    /// This signal terminated it.
    case signalled(Int32)
}

/// A program could not be started.
public struct ProgramError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The program, as the caller named it.
    public let program: String
    /// The system's reason.
    public let reason: String

    public var description: String { "'\(program)' cannot be started: \(reason)" }
}

/// Runs a program and returns when it has ended.
///
/// ```swift
/// let end = try await runProgram("make", ["-j4"], in: directory) { lines in
///     for try await line in lines { await presenter.present(line: line) }
/// }
/// ```
///
/// The program is bound to the call. Processes that it started and that are still in its process
/// group are killed when it ends, and when this process dies, even by SIGKILL. A process that
/// leaves the group, as `setsid` and daemons do, is not ended. Cancelling the task, or throwing
/// from `body`, sends SIGTERM to the group, and SIGKILL after `grace`.
///
/// Its standard input is empty. It inherits only the environment and the directory.
///
/// - Parameters:
///   - program: a path, or a name that is looked up in `PATH`.
///   - arguments: the arguments after the program's name.
///   - environment: variables to add to this process's.
///   - directory: its working directory; `nil` for this process's.
///   - grace: the time from SIGTERM to SIGKILL.
///   - body: reads the output as it arrives. If it returns early, the rest is lost, and the program
///     gets SIGPIPE or an error when it writes more.
/// - Returns: how it ended. A status other than 0 is no error.
/// - Throws: a ``ProgramError``; the errors of `body`; a `CancellationError`. Nothing runs then.
public func runProgram(
    _ program: String, _ arguments: [String] = [], environment: [String: String] = [:],
    in directory: String? = nil, grace: Duration = .seconds(5),
    _ body: (ProgramLines) async throws -> Void
) async throws -> ProgramEnd {
    try Task.checkCancellation()
    let variables = environment.map { (Environment.Key(stringLiteral: $0), Optional($1)) }
    let configuration = Configuration(
        executable: program.contains("/") ? .path(FilePath(program)) : .name(program),
        arguments: Arguments(arguments),
        environment: .inherit.updating(Dictionary(variables) { $1 }),
        workingDirectory: directory.map { FilePath($0) })
    do {
        let end = try await Guardian.watch(grace: grace) { group in
            try await group.run(configuration, body)
        }
        // A program that was asked to end has not done its work.
        try Task.checkCancellation()
        return end
    } catch let error as SubprocessError {
        throw ProgramError(program: program, reason: "\(error)")
    }
}

/// A process group with its guardian.
private struct Guardian {
    /// Ends when the pipe at its standard input closes.
    private static let script = "trap '' TERM HUP INT QUIT; read -r end; kill -KILL 0"

    private let guardian: Execution<CustomWriteInput, DiscardedOutput, DiscardedOutput>
    private let grace: Duration

    /// Starts a guardian for the duration of `body`, and ends the group after it.
    static func watch(
        grace: Duration, _ body: (Guardian) async throws -> ProgramEnd
    ) async throws -> ProgramEnd {
        var options = PlatformOptions()
        options.processGroupID = 0
        options.teardownSequence = [
            .send(signal: .terminate, toProcessGroup: true, allowedDurationToNextStep: grace)
        ]
        let configuration = Configuration(
            executable: .path("/bin/sh"), arguments: ["-c", script, "napkin-guardian"],
            environment: .custom([:]), platformOptions: options)
        let outcome = try await Subprocess.run(
            configuration, input: .inputWriter, output: .discarded, error: .discarded
        ) { execution in
            let group = Guardian(guardian: execution, grace: grace)
            // The group exists until its leader, the guardian, has been waited for.
            defer { group.send(.kill) }
            return try await body(group)
        }
        return outcome.closureResult
    }

    /// Runs a program in the group.
    func run(
        _ configuration: Configuration, _ body: (ProgramLines) async throws -> Void
    ) async throws -> ProgramEnd {
        var configuration = configuration
        configuration.platformOptions.processGroupID = guardian.processIdentifier.value
        // The guardian's sequence signals the group; this one sends signal 0 and waits as long.
        configuration.platformOptions.teardownSequence = [
            .send(signal: Signal(rawValue: 0), allowedDurationToNextStep: grace)
        ]
        let outcome = try await Subprocess.run(
            configuration, input: .none, output: .sequence, error: .combinedWithOutput
        ) { execution in
            do {
                try await body(ProgramLines(execution.standardOutput))
            } catch {
                if !Task.isCancelled { send(.terminate) }
                throw error
            }
        }
        return switch outcome.terminationStatus {
        case .exited(let code): .exited(code)
        case .signaled(let signal): .signalled(signal)
        }
    }

    private func send(_ signal: Signal) {
        // If the group has ended, there is nothing to signal.
        try? guardian.send(signal: signal, toProcessGroup: true)
    }
}
