// TranscriptionRateTests: fifty models a second, to a front that reads once a second.
//
// The normal run takes 5 s; `NAPKIN_TRANSCRIPTION_SECONDS=60` the time that is promised.

import Foundation
import ProofSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct TranscriptionRateTests {
    private static let perSecond = 50
    private static let recorder = "transcription.recorder"
    /// KiB that the worker may grow by in the second half. Chosen: what an allocator keeps, and the
    /// 300 KiB for a session's first image in the journal, which come in the fifth second; in the
    /// second half of 100 s it grows by 150. A text that was kept whole, or models that waited for
    /// the slow front, would be more in a minute.
    private static let growthMax = 512

    private static let seconds =
        ProcessInfo.processInfo.environment["NAPKIN_TRANSCRIPTION_SECONDS"].flatMap(Int.init) ?? 5

    @Test
    func `a front that reads once a second shows the newest, and stable text never goes back`()
        async throws
    {
        let paper = FileManager.default.temporaryDirectory.appending(
            path: "nkt-\(getpid()).transcript")
        // Of a test that is over nothing need stay.
        defer { try? FileManager.default.removeItem(at: paper) }
        try Self.transcript().write(to: paper, atomically: true, encoding: .utf8)
        let place = Workplace(app: "transcription")
        defer { place.cleanUp() }
        try await place.daemon(["--set", "transcription.transcript=\(paper.path)"])
        let fast = try await place.front()
        let slow = try await place.front()
        try await fast.mounts(Self.recorder)
        try await slow.mounts(Self.recorder)
        let worker = try await place.workerPID()

        try await fast.call(Self.recorder, "didTapRecord()")
        let start = ContinuousClock.now
        var figures = Figures()
        for second in 1...Self.seconds {
            slow.child.signal(SIGSTOP)
            // A second is over when the front that keeps up has seen its last word.
            let target = second * Self.perSecond
            try await fast.showsModel { Self.lastWord($0.stable) >= target }
            slow.child.signal(SIGCONT)
            // To record while recording changes nothing; what was presented before comes before
            // the answer.
            #expect(try await slow.call(Self.recorder, "didTapRecord()").isOK)
            let shown = try Self.lastWord(slow.model?.stable ?? "")
            #expect(shown >= target, "second \(second)")
            figures.residentKiB.append(try Self.residentKiB(of: worker))
        }
        let elapsed = ContinuousClock.now - start
        try await fast.call(Self.recorder, "didTapStop()")
        try await slow.showsModel { !$0.isRecording }
        for front in [fast, slow] {
            let numbers = try front.seen.filter { $0.isState("present(model:)") }
                .compactMap { try ShownTranscript(JSON.text($0.object["value"])) }
                .map { Self.lastWord($0.stable) }.drop { $0 == 0 }
            #expect(zip(numbers, numbers.dropFirst()).allSatisfy { $0 <= $1 })
            #expect(numbers.last == Self.seconds * Self.perSecond)
            figures.models.append(numbers.count)
        }
        #expect(figures.growthKiB <= Self.growthMax, "\(figures)")
        print("transcription: \(Self.seconds * Self.perSecond) models in \(elapsed), \(figures)")
    }

    private struct Figures: CustomStringConvertible {
        /// Of the worker, a figure a second.
        var residentKiB: [Int] = []
        /// Read by the fast front, and by the slow one.
        var models: [Int] = []

        /// When buffers have the size that they need.
        var halfway: Int { residentKiB[residentKiB.count / 2] }

        var growthKiB: Int { (residentKiB.last ?? 0) - halfway }

        var description: String {
            "read \(models), worker \(residentKiB.first ?? 0) KiB after 1 s, "
                + "\(halfway) halfway, \(residentKiB.last ?? 0) in the end"
        }
    }

    private static func transcript() -> String {
        (1...seconds * perSecond).map { number in
            let time = Double(number) / Double(perSecond)
            return "\(time) = word\(number)\n"
        }.joined() + "3600 ~ so that the take ends when it is stopped\n"
    }

    private static func lastWord(_ text: String) -> Int {
        text.split(separator: " ").last.flatMap { Int($0.dropFirst(4)) } ?? 0
    }

    private static func residentKiB(of pid: Int32) throws -> Int {
        let text = try String(contentsOfFile: "/proc/\(pid)/statm", encoding: .utf8)
        let fields = text.split(separator: " ")
        guard fields.count > 1, let pages = Int(fields[1]) else { throw Failure("no \(pid)") }
        return pages * Int(sysconf(Int32(_SC_PAGESIZE))) / 1024
    }
}
