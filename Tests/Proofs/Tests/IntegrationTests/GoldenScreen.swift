// GoldenScreen: what a terminal must show, as a text file that people read.

import Foundation
import ProofSupport
import Testing

/// A screen in `Screens`, beside this file. With `NAPKIN_GOLDEN=write` it is written down, and
/// then to be read before it is committed.
struct GoldenScreen {
    let name: String
    private static let writes = ProcessInfo.processInfo.environment["NAPKIN_GOLDEN"] == "write"

    /// - Parameter name: of the scene; the size is added.
    init(_ scene: String, columns: Int, lines: Int) {
        name = "\(scene)-\(columns)x\(lines)"
    }

    private var file: URL {
        URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Screens/\(name).txt")
    }

    /// The screen, as it is written down.
    var text: String {
        get throws { try String(contentsOf: file, encoding: .utf8) }
    }

    /// Returns when the terminal shows this; throws, with both screens, when it does not.
    func appears(
        in terminal: Tmux, of place: Workplace, _ when: String = ""
    ) async throws {
        if Self.writes, when.isEmpty { try await write(from: terminal, place) }
        let expected = try text
        do {
            try await terminal.shows("\(name) \(when)") { screen in
                Self.masked(screen, place) == expected
            }
        } catch {
            throw Failure("\(error)\nexpected:\n\(expected)")
        }
    }

    private func write(from terminal: Tmux, _ place: Workplace) async throws {
        try await terminal.rests()
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Self.masked(try await terminal.screen(), place)
            .write(to: file, atomically: true, encoding: .utf8)
    }

    /// What is another thing each time: paths, times of day, of a take, of a job, round trips, the
    /// numbers of receipts.
    private static func masked(_ screen: String, _ place: Workplace) -> String {
        screen.replacing(place.directory, with: "/run/napkin")
            // The end of a path that is cut off.
            .replacing(place.directory.suffix(6), with: "napkin")
            .replacing(/\d\d:\d\d:\d\d/, with: "HH:MM:SS")
            .replacing(/\d+\.\d\d s/, with: "N s")
            .replacing(/Receipt \d+/, with: "Receipt N")
            .replacing(/NODES +WORKER RSS +AGE/, with: "NODES MEMORY AGE")
            .replacing(/\ +\d+(\.\d+)? MiB +\d+(m\d\d)?s/, with: " MEMORY AGE")
            .replacing(/waiting \d+ s/, with: "waiting")
            .replacing(/\ · \d+(\.\d+)? (ms|µs|s)\b/, with: "")
            .replacing(/\b\d\.\d s\b/, with: "  N s")
            .replacing(FileManager.default.currentDirectoryPath, with: "/run/napkin") + "\n"
    }
}
