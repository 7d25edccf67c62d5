// LedgerTests: sessions that survive their worker, over real processes.

import Foundation
import ProofSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct LedgerTests {
    static let tally = "tally.tally"
    static let slip = "tally.slip"

    /// A workplace with one of the tallies, and a front of it.
    private func withTally(
        _ app: String = "tally", _ body: (Workplace, ControlFront) async throws -> Void
    ) async throws {
        let place = try await Workplace(apps: InstalledApp.tallies, app: app).started()
        try await body(place, try await tally("main", place))
    }

    private func tally(_ session: String, _ place: Workplace) async throws -> ControlFront {
        let front = try await place.front(["--session", session])
        try await front.mounts(Self.tally)
        return front
    }

    /// Ends the worker at once, and returns when the front shows its session again.
    ///
    /// - Parameter pid: the worker, where there is no time to ask for it.
    private func killWorker(
        _ place: Workplace, _ front: ControlFront, pid: Int32? = nil
    ) async throws {
        try await place.killWorker(pid)
        try await front.reads { $0.type == "disconnected" }
        let resumed = try await front.reads { $0.type == "resumed" }
        #expect(resumed.object["lost"] as? Int == 0)
        try await front.mounts(Self.tally)
    }

    @Test(arguments: ["tally", "quick-tally"])
    func `U1: what was shown is there after the worker was killed`(_ app: String) async throws {
        try await withTally(app) { place, front in
            let reply = try await front.call(Self.tally, "add(_:)", "[5]")
            #expect(reply.object["value"] as? Int == 5)
            try await front.shows { $0.value(Self.tally, "present(sum:times:)") == "[5,1]" }
            try await killWorker(place, front)
            try await front.shows { $0.value(Self.tally, "present(sum:times:)") == "[5,1]" }
            let second = try await front.call(Self.tally, "add(_:)", "[7]")
            #expect(second.object["value"] as? Int == 12)
            // A front goes on as well if its last event has changed nothing.
            try await front.call(Self.tally, "read()")
            try await killWorker(place, front)
            let third = try await front.call(Self.tally, "add(_:)", "[1]")
            #expect(third.object["value"] as? Int == 13)
        }
    }

    @Test func `U3, U4, U6, U8, U9: what a worker's death leaves of handlers and children`()
        async throws
    {
        try await withTally { place, front in
            try await isToldAsInterrupted(place, try await tally("interrupted", place))
            try await runsAgain(place, try await tally("again", place))
            try await takesNothingBack(place, try await tally("asking", place))
            try await childComesBack(place, try await tally("child", place))
        }
    }

    /// U4, U8: a handler that waited after a change is told of as interrupted.
    private func isToldAsInterrupted(_ place: Workplace, _ front: ControlFront) async throws {
        let id = try front.send(Self.tally, "addTwice(_:pausing:)", args: "[5,60000]")
        try await front.shows { $0.value(Self.tally, "present(sum:times:)") == "[5,1]" }
        try await killWorker(place, front)
        let fault = try await front.reply(to: id)
        #expect(!fault.isOK && fault.errorCode == "interrupted")
        try await front.shows {
            $0.value(Self.tally, "present(interrupted:)") == #"["addTwice(_:pausing:)"]"#
        }
        let sum = try await front.call(Self.tally, "read()")
        #expect(sum.object["value"] as? Int == 5)
    }

    /// U3: a handler that had changed nothing runs again.
    private func runsAgain(_ place: Workplace, _ front: ControlFront) async throws {
        try await front.call(Self.tally, "add(_:)", "[1]")
        let worker = try await place.workerPID()
        let id = try front.send(Self.tally, "addLater(_:pausing:)", args: "[5,2000]")
        try await front.call(Self.tally, "read()")
        try await killWorker(place, front, pid: worker)
        let reply = try await front.reply(to: id)
        #expect(reply.isOK && reply.object["value"] as? Int == 6)
    }

    /// U6: a handler that throws takes nothing back of one that was answered with it: answers that
    /// arrive together resume two handlers, one after the other.
    private func takesNothingBack(_ place: Workplace, _ front: ControlFront) async throws {
        let kept = try front.send(Self.tally, "addAsking(_:isSpoilt:)", args: "[5,false]")
        let first = try await front.reads { $0.type == "ask" }
        let spoilt = try front.send(Self.tally, "addAsking(_:isSpoilt:)", args: "[100,true]")
        let second = try await front.reads { $0.type == "ask" }
        let worker = try await place.workerPID()
        kill(worker, SIGSTOP)
        try front.answers(first.id, "true")
        try front.answers(second.id, "true")
        // It has sent them when it complains of what was written after its first complaint.
        for _ in 0..<2 { _ = try await front.complaint(about: "{}") }
        kill(worker, SIGCONT)
        let reply = try await front.reply(to: kept)
        #expect(reply.object["value"] as? Int == 5)
        let fault = try await front.reply(to: spoilt)
        #expect(fault.errorCode == "failed")
        try await killWorker(place, front)
        let sum = try await front.call(Self.tally, "read()")
        #expect(sum.object["value"] as? Int == 5)
    }

    /// U9: a child comes back with its state, until it is detached.
    private func childComesBack(_ place: Workplace, _ front: ControlFront) async throws {
        try await front.call(Self.tally, "lay(slip:)", #"["red"]"#)
        try await front.mounts(Self.slip)
        try await front.call(Self.slip, "stamp()")
        try await front.call(Self.slip, "stamp()")
        let node = front.seen.last { $0.isMount(Self.slip) }?.node
        try await killWorker(place, front)
        try await front.shows { $0.value(Self.slip, "present(stamps:)") == "2" }
        #expect(front.seen.last { $0.isMount(Self.slip) }?.node == node)
        try await front.call(Self.slip, "stamp()")
        try await front.shows { $0.value(Self.slip, "present(stamps:)") == "3" }
        // One that changes and is detached by the same handler is gone.
        #expect(try await front.call(Self.slip, "tear()").isOK)
        try await killWorker(place, front)
        let sum = try await front.call(Self.tally, "read()")
        #expect(sum.isOK && !front.screen.features.contains(Self.slip))
    }
}
