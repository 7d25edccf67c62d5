// Compiler: runs the real compiler, and SwiftPM, on something small.

import Foundation

enum Compiler {
    /// How many processes run at a time.
    static let processesMax = 2
    private static let turnstile = Turnstile(places: processesMax)

    /// Checks the types of one file.
    ///
    /// - Parameter modules: the only place, beside the toolchain, where it finds modules.
    static func check(
        _ path: String, _ settings: Snippet.Settings, modules: URL, plugin: URL,
        _ more: [String] = []
    ) async throws -> Diagnosis {
        let (status, output) = try await run(
            "swiftc",
            ["-typecheck", "-diagnostic-style", "llvm", "-parse-as-library"]
                + ["-module-name", "Snippet", "-package-name", "snippet"]
                + (try PackageSettings.arguments(settings))
                + ["-I", modules.path, "-load-plugin-executable", "\(plugin.path)#NapkinMacros"]
                + more + [path])
        return Diagnosis(status: status, output: output, of: path)
    }

    /// Runs a program of the toolchain to its end; returns what it printed.
    static func run(
        _ program: String, _ arguments: [String]
    ) async throws -> (status: Int32, output: String) {
        await turnstile.enter()
        do {
            let result = try await runAtOnce(program, arguments)
            await turnstile.leave()
            return result
        } catch {
            await turnstile.leave()
            throw error
        }
    }

    private static func runAtOnce(
        _ program: String, _ arguments: [String]
    ) async throws -> (status: Int32, output: String) {
        let place = try Scratch()
        defer { place.remove() }
        // Into a file: a pipe that nobody empties would hold up the compiler.
        let file = place.directory.appendingPathComponent("output")
        try Data().write(to: file)
        let handle = try FileHandle(forWritingTo: file)
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [try path(of: program)] + arguments
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = handle
        process.standardError = handle
        let status = try await withCheckedThrowingContinuation { continuation in
            process.terminationHandler = { continuation.resume(returning: $0.terminationStatus) }
            do {
                try process.run()
            } catch {
                process.terminationHandler = nil
                continuation.resume(throwing: error)
            }
        }
        try handle.close()
        return (status, try String(contentsOf: file, encoding: .utf8))
    }

    /// Beside the `swift` that `SWIFT` names, as `make` has it; else the first on the path.
    private static func path(of program: String) throws -> String {
        guard let swift = ProcessInfo.processInfo.environment["SWIFT"], swift.contains("/")
        else { return program }
        return URL(fileURLWithPath: swift).deletingLastPathComponent()
            .appendingPathComponent(program).path
    }
}

/// Lets a few in at a time.
actor Turnstile {
    private var free: Int
    private var waiting: [CheckedContinuation<Void, Never>] = []

    init(places: Int) { free = places }

    func enter() async {
        if free > 0 {
            free -= 1
        } else {
            await withCheckedContinuation { waiting.append($0) }
        }
    }

    func leave() {
        if waiting.isEmpty {
            free += 1
        } else {
            waiting.removeFirst().resume()
        }
    }
}

/// A directory for one test.
struct Scratch {
    let directory: URL

    init() throws {
        directory = FileManager.default.temporaryDirectory
            .appendingPathComponent("nk-\(UUID().uuidString.prefix(8))")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: false)
    }

    func write(_ text: String, to path: String) throws {
        let file = directory.appendingPathComponent(path)
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try text.write(to: file, atomically: true, encoding: .utf8)
    }

    func remove() {
        // What cannot be removed lies in the system's temporary directory.
        try? FileManager.default.removeItem(at: directory)
    }
}
