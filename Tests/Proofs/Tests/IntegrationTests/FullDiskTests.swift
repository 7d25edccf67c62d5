// FullDiskTests: a disk that real sessions fill, and that has room again.

import Foundation
import ProofSupport
import Testing

@Suite(.serialized, .timeLimit(.minutes(10)))
struct FullDiskTests {
    /// The journals are on a file system of 16 MiB that only the daemon and its workers see; a file
    /// takes 10 of them.
    private static let smallDisk = """
        state="${XDG_DATA_HOME%/data}/s"; mkdir -p "$state" &&
        mount -t tmpfs -o size=16m,mode=700 tmpfs "$state" &&
        head -c 10485760 /dev/zero >"$state/filler"
        """

    /// A front of a session of its own, and how often it was told that it has added one.
    private final class Adder {
        let front: ControlFront
        var added = 0

        init(_ place: TallyPlace, _ session: String) async throws {
            front = try await place.place.front(["--session", session])
            try await front.mounts(TallyPlace.tally)
        }

        /// Adds so often, at once; returns the first answer that is none.
        func add(_ times: Int) async throws -> ControlLine? {
            let ids = try (0..<times).map { _ in
                try front.send(TallyPlace.tally, "add(_:)", args: "[1]")
            }
            var refusal: ControlLine?
            for id in ids {
                let reply = try await front.reply(to: id)
                if reply.isOK {
                    added += 1
                    #expect(reply.object["value"] as? Int == added)
                } else {
                    refusal = refusal ?? reply
                }
            }
            return refusal
        }

        /// Returns when the front shows all that it was told, and nothing more.
        func showsAll() async throws {
            try await front.shows {
                $0.value(TallyPlace.tally, "present(sum:times:)") == "[\(added),\(added)]"
            }
        }
    }

    @Test(.enabled(if: Namespace.canMount), arguments: ["tally", "quick-tally"])
    func `U15: what fills the disk is refused, nothing is lost, and with room it goes on`(
        _ app: String
    ) async throws {
        let place = try await TallyPlace(app, in: Self.smallDisk)
        let adders = [try await Adder(place, "a"), try await Adder(place, "b")]
        for adder in adders {
            var refusal: ControlLine?
            while refusal == nil { refusal = try await adder.add(50) }
            let text = try #require(refusal.map { "\($0.object)" })
            #expect(refusal?.errorCode == "overloaded" && text.contains("no room"), "\(text)")
        }
        #expect(adders[0].added > 100, "the disk was full before: \(adders.map(\.added))")
        // Full as it is, everything comes back.
        let worker = try await place.place.workerPID()
        kill(worker, SIGKILL)
        for adder in adders {
            try await adder.front.reads { $0.type == "resumed" }
            try await adder.front.mounts(TallyPlace.tally)
            try await adder.showsAll()
            // What the worker's start has made of the journal may leave room for a few more.
            var refusal: ControlLine?
            while refusal == nil { refusal = try await adder.add(1) }
            #expect(refusal?.errorCode == "overloaded")
        }
        let filler = "/proc/\(try await place.place.workerPID())/root\(place.place.state)/filler"
        #expect(unlink(filler) == 0, "\(filler): errno \(errno)")
        for adder in adders {
            while try await adder.add(1) != nil {}
            #expect(try await adder.add(50) == nil)
        }
        try await place.place.killWorker()
        for adder in adders {
            try await adder.front.reads { $0.type == "resumed" }
            try await adder.front.mounts(TallyPlace.tally)
            try await adder.showsAll()
            #expect(try await adder.add(1) == nil)
        }
    }
}
