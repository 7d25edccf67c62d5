// TranscriptionFlowTests: the recorder end to end, with real files, pipes and processes.

import Foundation
import ProofSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct TranscriptionFlowTests {
    private static let recorder = "transcription.recorder"

    /// - Parameter source: made in the workplace's directory, whose path the daemon is given.
    private func withFront(
        source: (String) throws -> String? = { _ in nil },
        _ body: (Workplace, ControlFront) async throws -> Void
    ) async throws {
        let directory = TemporaryDirectory()
        let path = try source(directory.path)
        let place = Workplace(app: "transcription")
        defer { place.cleanUp() }
        try await place.daemon(path.map { ["--set", "transcription.transcript=\($0)"] } ?? [])
        let front = try await place.front()
        try await front.mounts(Self.recorder)
        try await body(place, front)
        _ = directory
    }

    private func file(_ text: String) -> (String) throws -> String? {
        { directory in
            let path = directory + "/transcript"
            try text.write(toFile: path, atomically: true, encoding: .utf8)
            return path
        }
    }

    @Test func `a pipe is heard as it is written, and its end is the take's`() async throws {
        func pipe(in directory: String) throws -> String? {
            guard mkfifo(directory + "/pipe", 0o600) == 0 else { throw Failure("no pipe") }
            return directory + "/pipe"
        }
        try await withFront(source: pipe) { _, front in
            try await front.call(Self.recorder, "didTapRecord()")
            let source = try #require(front.screen.value(Self.recorder, "present(source:)"))
            let path = source.filter { $0 != "\"" && $0 != "\\" }
            let writer = try #require(FileHandle(forWritingAtPath: path))
            try writer.write(contentsOf: Data("~ lo".utf8))
            try writer.write(contentsOf: Data("w\n".utf8))
            try await front.shows { $0.tentative == "low" }
            try writer.write(contentsOf: Data("= low and slow\n".utf8))
            try await front.showsModel { $0.stable == "low and slow" }
            #expect(front.screen.tentative == nil)
            try writer.close()
            try await front.showsModel { $0.status.hasPrefix("Ended at") }
        }
    }

    @Test func `a take goes on after its worker was killed, with every certain word`()
        async throws
    {
        let words = "0.00 = low\n0.01 = and\n0.02 ~ sl\n2 = slow\n"
        try await withFront(source: file(words)) { place, front in
            let worker = try await place.workerPID()
            try await front.call(Self.recorder, "didTapRecord()")
            try await front.shows { $0.tentative == "sl" }
            try await killWorker(place, front, pid: worker)
            try await front.showsModel { $0.isRecording && $0.stable == "low and" }
            // It is read again.
            try await front.shows { $0.tentative == "sl" }
            try await front.showsModel { $0.status.hasPrefix("Ended at 2.00 s") }
            #expect(try front.model?.stable == "low and slow")
            try await killWorker(place, front)
            try await front.showsModel {
                $0.status.hasPrefix("Ended at 2.00 s") && $0.stable == "low and slow"
            }
        }
    }

    /// - Parameter pid: the worker, where there is no time to ask for it.
    private func killWorker(
        _ place: Workplace, _ front: ControlFront, pid: Int32? = nil
    ) async throws {
        try await place.killWorker(pid)
        try await front.reads { $0.type == "resumed" }
        try await front.mounts(Self.recorder)
    }
}

/// What a recorder's screen shows.
struct ShownTranscript {
    let status: String
    let stable: String
    let isRecording: Bool

    init?(_ text: String?) throws {
        guard let text else { return nil }
        let object = try JSON.object(text)
        status = object["statusLabel"] as? String ?? "–"
        stable = object["stableText"] as? String ?? "–"
        isRecording = object["isRecording"] as? Bool ?? false
    }
}

extension Screen {
    /// The words that are shown as tentative.
    fileprivate var tentative: String? {
        let values = ["present(tentative:)", "present(model:)"].map { method in
            // They came as JSON.
            value("transcription.recorder", method).flatMap { try? JSON.object($0) } ?? [:]
        }
        guard let position = values[0]["position"] as? Int,
            position == values[1]["position"] as? Int
        else { return nil }
        return (values[0]["words"] as? String).flatMap { $0.isEmpty ? nil : $0 }
    }
}

extension ControlFront {
    /// The newest model that has been read.
    var model: ShownTranscript? {
        get throws {
            try ShownTranscript(screen.value("transcription.recorder", "present(model:)"))
        }
    }

    /// Reads until a model fits.
    func showsModel(_ fits: (ShownTranscript) -> Bool) async throws {
        if let model = try model, fits(model) { return }
        try await reads { line in
            guard line.isState("present(model:)"),
                let text = try? JSON.text(line.object["value"]),  // it came as JSON
                let model = try? ShownTranscript(text)  // as above
            else { return false }
            return fits(model)
        }
    }
}
