// ClosedDescriptorTests: programs that start without descriptors 0 to 2, or run out of others.

import Foundation
import ProofSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct ClosedDescriptorTests {
    private let place = Workplace()

    private func shell(
        _ line: String, _ program: String, _ arguments: [String], of place: Workplace
    ) throws -> Child {
        try Child(
            "/bin/sh", ["-c", "exec \"$0\" \"$@\" " + line, try Product.path(program)] + arguments,
            environment: place.environment)
    }

    @Test func `each program runs with descriptors 0 to 2 closed`() async throws {
        let daemon = try shell(
            "3>&1 <&- >&- 2>&-", "napkind",
            ["--socket", place.socket, "--state-dir", place.state, "--ready-fd", "3"], of: place)
        _ = try await daemon.line { $0 == "ready \(place.socket)" }
        let front = try await place.front()
        try await front.login()
        let log = place.state + "/log/rib-house.log"
        for (pid, output) in [(daemon.pid, "/dev/null"), (try await place.workerPID(), log)] {
            for (number, expected) in zip(0...2, ["/dev/null", output, output]) {
                let path = "/proc/\(pid)/fd/\(number)"
                let file = try FileManager.default.destinationOfSymbolicLink(atPath: path)
                #expect(file == expected, "\(path): \(file)")
            }
        }
        let socket = ["--socket", place.socket]
        for arguments in [["ls"], ["tree"], ["attach", "rib-house", "--control"]] {
            let client = try shell(
                "<&- >&- 2>&-", "napkin-client", arguments + socket, of: place)
            // What was asked for could not be said.
            #expect(await client.exit() == 74, "\(arguments)")
        }
        let worker = try shell(
            "<&- >&- 2>&-", "napkind", ["--worker", "rib-house"], of: place)
        #expect(await worker.exit() == 64)
        #expect(!front.wasDisconnected)
    }

    /// Leaves the process `count` descriptors more than it has; `nil` gives it back what it may.
    private func limit(_ pid: Int32, more count: Int?) async throws {
        let open = try FileManager.default.contentsOfDirectory(atPath: "/proc/\(pid)/fd").count
        let hard = try String(contentsOfFile: "/proc/\(pid)/limits", encoding: .utf8)
            .split(separator: "\n").first { $0.hasPrefix("Max open files") }?
            .split(separator: " ").last { Int($0) != nil }
        let soft = if let count { "\(open + count)" } else { String(try #require(hard)) }
        let child = try Child(
            "/usr/bin/prlimit", ["--pid", "\(pid)", "--nofile=\(soft):"])
        await expectSuccess(child)
    }

    /// With room for three, and with the limit below what is open.
    @Test(arguments: [false, true], [3, -4])
    func `out of descriptors, a process goes on with its peers, and takes others again later`(
        isWorker: Bool, room: Int
    ) async throws {
        let (daemon, front, worker) = try await place.loggedIn()
        let (pid, path) =
            isWorker ? (worker, place.directory + "/rib-house.sock") : (daemon.pid, place.socket)
        try await limit(pid, more: room)
        var peers = try (0..<30).map { _ in try RawPeer(path) }
        // There is no room for so many. The last one is put out, where there is any to do so.
        if room > 0 { #expect(try peers[29].readToEnd().isEmpty) }
        #expect(try await front.call(Feature.loggedIn, "didTapPitBoard()").isOK)
        if !isWorker, room > 0 {
            // A worker cannot be started now, and who wants it is told so.
            peers[0].send(Item.hello() + RawPeer.open("cart"))
            #expect(try peers[0].readFrame().kind == 2)
            let (kind, payload) = try peers[0].readFrame()
            #expect(kind == 3)
            let text = String(decoding: payload, as: UTF8.self)
            #expect(text.contains("workerUnavailable"), "\(text)")
        }
        peers = []
        try await limit(pid, more: nil)
        let other = try await place.front()
        try await other.mounts(Feature.pitBoard)
        #expect(try await place.workerPID() == worker)
        #expect(!front.wasDisconnected)
    }
}
