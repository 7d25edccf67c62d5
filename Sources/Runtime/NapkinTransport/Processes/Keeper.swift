// Keeper: starts the small program that holds another program for a session.
//
// Ownership  nobody owns the keeper: its lock, its sockets and its file are in the directory.
// Invariant  the file is locked from before the keeper exists until it has ended.

internal import Glibc

/// Starts keepers.
package enum Keeper {
    /// The variable that names the keeper's program; napkind sets it for its workers.
    package static let variable = "NAPKIN_KEEPER"
    private static let name = "napkin-keeper"

    /// The keeper's program: named by the variable, beside this program, or found in `PATH`.
    package static var program: String {
        if let chosen = getenv(variable) { return String(cString: chosen) }
        return besideThis ?? name
    }

    /// The keeper's program beside this one; `nil` if there is none.
    package static var besideThis: String? {
        OwnProgram.directory.map { "\($0)/\(name)" }.flatMap { access($0, X_OK) == 0 ? $0 : nil }
    }

    /// A program to be held.
    package struct Order: Sendable {
        package var program: String
        package var arguments: [String]
        package var environment: [String: String]
        package var directory: String?
        /// Bytes of output that are kept.
        package var bytes: Int
        /// The size of its terminal; `nil` for pipes.
        package var terminal: (rows: UInt16, columns: UInt16)?

        package init(
            program: String, arguments: [String], environment: [String: String],
            directory: String?, bytes: Int, terminal: (rows: UInt16, columns: UInt16)?
        ) {
            (self.program, self.arguments) = (program, arguments)
            (self.environment, self.directory) = (environment, directory)
            (self.bytes, self.terminal) = (bytes, terminal)
        }
    }

    /// Starts a program in a new directory, whose parent exists, and returns when it runs.
    ///
    /// Errors: those of mkdir(2), including `EEXIST`, those of execve(2), and `ENOSPC`. Nothing
    /// runs then, and nothing is left.
    @MainActor
    package static func start(
        _ order: Order, in path: String
    ) async throws(TransportError) -> HeldFiles {
        guard mkdir(path, 0o700) == 0, let files = HeldFiles(path) else {
            throw LocalSocket.systemError("create directory", on: path)
        }
        do throws(TransportError) {
            try await start(order, files)
            return files
        } catch {
            files.remove()
            throw error
        }
    }

    @MainActor
    private static func start(_ order: Order, _ files: HeldFiles) async throws(TransportError) {
        let output = open(
            files.link + "/output", O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        let directory = open(files.link, O_DIRECTORY | O_CLOEXEC)
        defer { for descriptor in [output, directory] where descriptor >= 0 { close(descriptor) } }
        // Nobody else holds it for longer than a check takes.
        guard output >= 0, directory >= 0, flock(output, LOCK_EX) == 0 else {
            throw LocalSocket.systemError("create", on: files.path)
        }
        let size = order.terminal ?? (0, 0)
        let configuration = ChildProcess.Configuration(
            executable: program,
            arguments: ["\(order.bytes)", "\(size.rows)", "\(size.columns)", order.program]
                + order.arguments,
            environment: order.environment, descriptors: [3: output, 4: directory],
            inheritsStandardError: false, workingDirectory: order.directory)
        let end: Result<ChildProcess.ExitStatus, TransportError> = await withCheckedContinuation {
            continuation in
            do throws(TransportError) {
                _ = try ChildProcess(configuration) { continuation.resume(returning: .success($0)) }
            } catch {
                continuation.resume(returning: .failure(error))
            }
        }
        switch try end.get() {
        case .exited(0): return
        case .exited(let reason):
            throw LocalSocket.systemError("start", on: order.program, reason)
        case .signalled(let signal):
            throw TransportError(
                code: "ECHILD", operation: "start", subject: order.program,
                message: "its keeper was ended by signal \(signal)")
        }
    }
}
