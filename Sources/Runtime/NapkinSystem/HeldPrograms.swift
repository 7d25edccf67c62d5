// HeldPrograms: the programs that belong to a session, by key, and outlive its worker.
//
// Isolation  any thread; starting hops to the loop.
// Ownership  a keeper owns each program; this type only finds it again.
// Source     Sources/Runtime/NapkinKeeper/main.c

import Glibc
public import NapkinCore
import NapkinTransport

/// The held programs of a session.
///
/// A held program continues when its worker, napkind or both end, are killed, restarted or
/// upgraded. A small process, its keeper, has its output and end. The next worker finds it by key:
///
/// ```swift
/// let programs = HeldPrograms(of: session)
/// let build = if let build = programs["build"] { build } else {
///     try await programs.start("build", "make", ["-j4"], in: directory)
/// }
/// for try await line in build.lines(from: seen) { … }
/// ```
///
/// Use ``runProgram(_:_:environment:in:grace:_:)`` for a program that belongs to a call.
public struct HeldPrograms: Sendable {
    /// The number of a session's programs, running or ended. Chosen: more than a person reads in a
    /// list.
    package static let programsMax = 1000
    /// Bytes of a key. Chosen: a name.
    package static let keyBytesMax = 64
    /// Bytes of output that are kept by default. Chosen: some ten thousand lines.
    public static let outputBytes = 4 << 20

    private let directory: String

    /// Finds the held programs of a session.
    public init(of session: SessionContext) {
        directory = session.programsDirectory
    }

    /// The keys of the programs that run, and of those that have ended and were not removed.
    public var keys: [String] { HeldFiles.names(in: directory) }

    /// The program with this key; `nil` if none was started or it was removed.
    public subscript(key: String) -> HeldProgram? {
        guard Self.isValid(key), let files = HeldFiles(path(of: key)), files.facts() != nil else {
            return nil
        }
        return HeldProgram(key: key, files: files)
    }

    /// Starts a program and returns when it runs. If a program with that key has ended, removes it.
    ///
    /// The program has its own session and process group. Its environment is the worker's, with
    /// `environment` added. Its standard error goes where its standard output goes. If the worker
    /// dies meanwhile, the program either runs, and the next worker finds it, or was never started.
    ///
    /// - Parameters:
    ///   - key: 1 to 64 letters, digits and `-_+@.`; the first is not a dot.
    ///   - program: a path, or a name that is looked up in `PATH`.
    ///   - arguments: the arguments after the program's name.
    ///   - environment: variables to add to this process's.
    ///   - directory: its working directory; `nil` for this process's.
    ///   - terminal: the size of the terminal in which it runs; `nil` for pipes.
    ///   - bytes: how much of its newest output is kept; its file takes at most this size.
    /// - Throws: a ``ProgramError``, also if a program with that key runs. Nothing was started
    ///   then.
    public func start(
        _ key: String, _ program: String, _ arguments: [String] = [],
        environment: [String: String] = [:], in directory: String? = nil,
        terminal: TerminalSize? = nil, keeping bytes: Int = outputBytes
    ) async throws(ProgramError) -> HeldProgram {
        precondition(bytes > 0, "a held program keeps some output, not \(bytes) bytes")
        func refuse(_ reason: String) -> ProgramError {
            ProgramError(program: program, reason: reason)
        }
        guard Self.isValid(key) else { throw refuse("'\(key)' cannot be the key of a program") }
        if let former = HeldFiles(path(of: key)), !former.remove() {
            throw refuse("a program with the key '\(key)' still runs")
        }
        if let directory, access(directory, X_OK) != 0 {
            throw refuse("\(directory): \(String(cString: strerror(errno)))")
        }
        guard keys.count < Self.programsMax else {
            throw refuse(
                "the session has \(Self.programsMax) programs: remove some that have ended")
        }
        let order = Keeper.Order(
            program: program, arguments: arguments,
            environment: OwnProgram.environment.merging(environment) { $1 },
            directory: directory, bytes: bytes,
            terminal: terminal.map { (UInt16(clamping: $0.rows), UInt16(clamping: $0.columns)) })
        do throws(TransportError) {
            try SocketDirectory(path: self.directory, policy: .state).ensure()
            let files = try await Keeper.start(order, in: path(of: key))
            return HeldProgram(key: key, files: files, isNew: true)
        } catch {
            let isKeeper = error.subject == Keeper.program && error.operation == "spawn"
            throw refuse(
                isKeeper
                    ? "there is no \(Keeper.program), which would hold it: `make install` "
                        + "installs it beside napkind, and \(Keeper.variable) can name it"
                    : error.message)
        }
    }

    /// Removes a program that has ended, with its output. A running program stays: end it first.
    public func remove(_ key: String) {
        if Self.isValid(key) { HeldFiles(path(of: key))?.remove() }
    }

    private func path(of key: String) -> String { "\(directory)/\(key)\(HeldFiles.suffix)" }

    private static func isValid(_ key: String) -> Bool {
        1...keyBytesMax ~= key.utf8.count && key.utf8.first != UInt8(ascii: ".")
            && key.utf8.allSatisfy { $0.isLetterOrDigit || "-_+@.".utf8.contains($0) }
    }
}

/// The size of a terminal, in characters.
public struct TerminalSize: Hashable, Sendable {
    public var rows: Int
    public var columns: Int

    public init(rows: Int, columns: Int) {
        precondition(rows > 0 && columns > 0, "a terminal has rows and columns")
        (self.rows, self.columns) = (rows, columns)
    }
}
