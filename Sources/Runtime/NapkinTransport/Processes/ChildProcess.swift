// ChildProcess: a program that we started, and the kernel's limits on it.
//
// Ownership  the handle retains the child from its start until its end has been reported; dropping
//            the object neither ends the program nor loses the report.
// Invariant  onExit is called exactly once, after which `pid` may belong to another process.
// Spec       docs.libuv.org/en/v1.x/process.html. In the child libuv resets signals to default.
// Source     prlimit(2); PR_SET_NO_NEW_PRIVS(2const): of a thread, for good, inherited by fork(2)

internal import CLibuv
internal import Glibc

@MainActor
package final class ChildProcess: HandleOwner {
    /// The program to start, and how to start it.
    package struct Configuration: Sendable {
        /// The program's path; a name without a slash is looked up in `PATH`.
        package var executable: String
        /// Arguments after the program's name.
        package var arguments: [String]
        /// The whole environment; nil for ours.
        package var environment: [String: String]?
        /// Maps the child's descriptors to ours, which stay ours. Overrides the two properties
        /// below. A number that is not named is /dev/null from 0 to 2; any other is closed if it is
        /// close-on-exec.
        package var descriptors: [Int32: Int32]
        /// Whether the child shares our standard output and error.
        package var inheritsStandardOutput: Bool
        package var inheritsStandardError: Bool
        /// Whether the child gets its own session (setsid), so that a hang-up of our terminal does
        /// not reach it.
        package var detached: Bool
        /// The directory in which the child starts; nil for our working directory.
        package var workingDirectory: String?
        /// Whether no program that the child starts gains privileges, as sudo does.
        package var gainsNoPrivileges: Bool

        package init(
            executable: String, arguments: [String] = [], environment: [String: String]? = nil,
            descriptors: [Int32: Int32] = [:], inheritsStandardOutput: Bool = false,
            inheritsStandardError: Bool = true, detached: Bool = false,
            workingDirectory: String? = nil, gainsNoPrivileges: Bool = false
        ) {
            self.gainsNoPrivileges = gainsNoPrivileges
            self.executable = executable
            self.arguments = arguments
            self.environment = environment
            self.descriptors = descriptors
            self.inheritsStandardOutput = inheritsStandardOutput
            self.inheritsStandardError = inheritsStandardError
            self.detached = detached
            self.workingDirectory = workingDirectory
        }
    }

    /// The highest descriptor number in a child. Chosen: libuv's table has an entry for each.
    package static let childDescriptorMax: Int32 = 255

    package let pid: Int32
    private let handle: UVHandle<uv_process_t>
    private var onExit: (@MainActor (ExitStatus) -> Void)?

    /// Starts the program.
    ///
    /// Errors: `ENOENT`, `EACCES` (no such program, or not one), `EAGAIN`, `EBADF` (a descriptor in
    /// the configuration). Nothing runs then.
    package init(
        _ configuration: Configuration, onExit: @escaping @MainActor (ExitStatus) -> Void
    ) throws(TransportError) {
        try Self.check(configuration)
        self.onExit = onExit
        // uv_spawn initialises the handle itself; it has to be closed even if spawning fails, but
        // not if uv_spawn could not be called.
        var result: Int32 = 0
        handle = try UVHandle("spawn", on: configuration.executable) { loop, raw in
            var failure: Int32 = 0
            Self.withOptions(configuration) { options in
                if configuration.gainsNoPrivileges {
                    failure = PlainThread.spawn(loop, raw, options, &result)
                } else {
                    result = uv_spawn(loop, raw, options)
                }
            }
            return failure
        }
        guard result >= 0 else {
            handle.close()
            throw uvError(result, "spawn", on: configuration.executable)
        }
        pid = handle.raw.pointee.pid
        handle.attach(to: self)
        Loop.shared.handlesChanged()
    }

    /// Sends a signal, unless the child's end was reported: its number may be another's by then.
    package func kill(_ signal: Int32) {
        guard onExit != nil else { return }
        uv_process_kill(handle.raw, signal)
    }

    /// Makes the kernel kill this process when the thread that started it ends, even if its own
    /// loop no longer runs then.
    package static func dieWithParent() {
        // It cannot fail for an existing signal.
        _ = napkin_die_with_parent()
    }

    /// Runs a program to its end, and returns how it ended; `nil` if it cannot be started. A
    /// program that runs longer than `patience` is ended by SIGKILL.
    package static func run(
        _ configuration: Configuration, within patience: Duration? = nil
    ) async -> ExitStatus? {
        var timer: LoopTimer?
        let status: ExitStatus? = await withCheckedContinuation { continuation in
            do throws(TransportError) {
                let process = try ChildProcess(configuration) { continuation.resume(returning: $0) }
                timer = patience.map { LoopTimer(after: $0) { process.kill(SIGKILL) } }
            } catch {
                continuation.resume(returning: nil)
            }
        }
        timer?.cancel()
        return status
    }

    private func didExit(_ status: ExitStatus) {
        let onExit = onExit
        self.onExit = nil
        handle.close()
        onExit?(status)
    }

    // MARK: - The C structure

    private static func check(_ configuration: Configuration) throws(TransportError) {
        for (child, ours) in configuration.descriptors {
            guard (0...childDescriptorMax).contains(child), fcntl(ours, F_GETFD) >= 0 else {
                throw TransportError(
                    code: "EBADF", operation: "spawn", subject: configuration.executable,
                    message: "cannot pass descriptor \(ours) as \(child): it must be open, and the "
                        + "child's number in 0...\(childDescriptorMax)")
            }
        }
    }

    private static func withOptions(
        _ configuration: Configuration, _ body: (UnsafePointer<uv_process_options_t>) -> Void
    ) {
        var options = uv_process_options_t()
        options.exit_cb = { process, code, signal in
            let status: ExitStatus = signal == 0 ? .exited(Int32(code)) : .signalled(signal)
            onLoop(process?.pointee.data, as: ChildProcess.self) { $0.didExit(status) }
        }
        if configuration.detached { options.flags = UInt32(UV_PROCESS_DETACHED.rawValue) }
        let environment = configuration.environment?.map { "\($0)=\($1)" }
        var streams = streams(for: configuration)
        withCStrings([configuration.executable] + configuration.arguments) { arguments in
            withCStrings(environment ?? []) { variables in
                withCStrings([configuration.workingDirectory ?? "."]) { directory in
                    streams.withUnsafeMutableBufferPointer { streams in
                        options.file = UnsafePointer(arguments[0])
                        options.args = arguments
                        options.env = environment == nil ? nil : variables
                        options.cwd =
                            configuration.workingDirectory == nil
                            ? nil : UnsafePointer(directory[0])
                        options.stdio = streams.baseAddress
                        options.stdio_count = Int32(streams.count)
                        body(&options)
                    }
                }
            }
        }
    }

    private static func streams(for configuration: Configuration) -> [uv_stdio_container_t] {
        var map: [Int32: Int32] = [:]
        if configuration.inheritsStandardOutput { map[STDOUT_FILENO] = STDOUT_FILENO }
        if configuration.inheritsStandardError { map[STDERR_FILENO] = STDERR_FILENO }
        map.merge(configuration.descriptors) { _, named in named }
        let count = max(2, map.keys.max() ?? 0) + 1
        return (0..<count).map { child in
            var container = uv_stdio_container_t()
            container.flags = UV_IGNORE
            if let ours = map[child] {
                container.flags = UV_INHERIT_FD
                container.data.fd = ours
            }
            return container
        }
    }

    /// Calls `body` with a null-terminated array of C strings, valid for the duration of the call.
    private static func withCStrings(
        _ strings: [String], _ body: (UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> Void
    ) {
        let array = UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>.allocate(
            capacity: strings.count + 1)
        for (index, string) in strings.enumerated() {
            (array + index).initialize(to: strdup(string))
        }
        (array + strings.count).initialize(to: nil)
        body(array)
        for index in strings.indices { free(array[index]) }
        array.deallocate()
    }
}

/// A resource limit of a process, inherited by its children.
package struct ProcessLimit: Sendable {
    private let resource: Int32
    private let value: UInt64

    package static func core(_ bytes: Int) -> ProcessLimit { ProcessLimit(RLIMIT_CORE, bytes) }
    /// Open files.
    package static func files(_ count: Int) -> ProcessLimit { ProcessLimit(RLIMIT_NOFILE, count) }
    /// Bytes of the process's private memory, whether or not it is resident.
    package static func data(_ bytes: Int) -> ProcessLimit { ProcessLimit(RLIMIT_DATA, bytes) }

    private init(_ resource: __rlimit_resource, _ value: Int) {
        self.resource = Int32(resource.rawValue)
        self.value = UInt64(max(0, value))
    }

    /// Sets the limit of a running process, permanently; a limit that is already lower stays.
    /// Returns false if the process has ended, or has become another user's.
    package func apply(to pid: Int32) -> Bool { napkin_lower_limit(pid, resource, value) == 0 }
}

/// A thread with no_new_privs set, which its children inherit; the rest of the process does not
/// have it. The loop thread waits for it, so the thread may use the loop meanwhile.
private enum PlainThread {
    struct Work {
        var loop: UnsafeMutablePointer<uv_loop_t>
        var process: UnsafeMutablePointer<uv_process_t>
        var options: UnsafePointer<uv_process_options_t>
        var result: Int32 = 0
        var failure: Int32 = 0
    }

    /// Calls uv_spawn in a new thread; returns an error number if uv_spawn was not called.
    static func spawn(
        _ loop: UnsafeMutablePointer<uv_loop_t>, _ process: UnsafeMutablePointer<uv_process_t>,
        _ options: UnsafePointer<uv_process_options_t>, _ result: inout Int32
    ) -> Int32 {
        var work = Work(loop: loop, process: process, options: options)
        return withUnsafeMutablePointer(to: &work) { work in
            var thread = pthread_t()
            let failure = pthread_create(
                &thread, nil,
                { argument in
                    guard let work = argument?.assumingMemoryBound(to: Work.self) else {
                        return nil
                    }
                    let (process, options) = (work.pointee.process, work.pointee.options)
                    work.pointee.failure = napkin_no_new_privileges()
                    if work.pointee.failure == 0 {
                        work.pointee.result = uv_spawn(work.pointee.loop, process, options)
                    }
                    return nil
                }, work)
            guard failure == 0 else { return -failure }
            pthread_join(thread, nil)
            result = work.pointee.result
            return work.pointee.failure
        }
    }
}

// Nested, because Swift Testing also has an ExitStatus.

extension ChildProcess {
    /// The way in which a process ended. Source: wait(2).
    package enum ExitStatus: Sendable, Equatable {
        /// The process called exit, or returned from main, with this code in [0, 255].
        case exited(Int32)
        /// This signal ended the process.
        case signalled(Int32)
    }
}
