// CrowdTests: very many sessions, and very many tickets, while others go on.

import Foundation
import ProofSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct CrowdTests {
    @Test func `a tree of very many sessions is whole, and holds up no front`() async throws {
        let place = try await Workplace.questions().started()
        let count = 1000
        let door = try RawPeer(welcomedAt: place.socket)
        var peers: [RawPeer] = []
        for number in 0..<count {
            let ticket = try door.ticket(app: Question.app, session: "s\(number)")
            let peer = try RawPeer(
                welcomedAt: place.directory + "/questions.sock", Item.hello(ticket: ticket))
            peer.send(RawPeer.attach())
            #expect(try peer.readFrame().kind == 33)
            peers.append(peer)
        }
        let tree = try place.client(["tree"])
        tree.closeInput()
        let isDone = Watched(false)
        let ending = Task {
            let status = await tree.exit()
            isDone.change { $0 = true }
            return status
        }
        let worker = try await place.workerPID()
        var longest = Duration.zero
        while !isDone.value {
            let start = try Self.processorTime(of: worker)
            peers[0].send(RawPeer.frame(4, sequence: 1))
            while try peers[0].readFrame().kind != 5 {}
            longest = max(longest, try Self.processorTime(of: worker) - start)
        }
        #expect(await ending.value == 0)
        let listed = Set(await tree.allLines().compactMap { $0.split(separator: " ").first })
        #expect((0..<count).allSatisfy { listed.contains("s\($0)") })
        // One slice has 1 ms. Of the processor's time, since a busy machine holds up both.
        #expect(longest < .milliseconds(30), "\(longest)")
        print("a tree of \(count) sessions: its worker ran for \(longest) before it answered")
        let apps = try JSON.array(try await place.run(["apps", "--json"]).lines.joined())
        #expect(apps.map { $0["sessions"] as? Int } == [0, count])
    }

    /// How long a process's main thread has run: what waits for a processor does not count.
    private static func processorTime(of process: Int32) throws -> Duration {
        let text = try String(contentsOfFile: "/proc/\(process)/schedstat", encoding: .utf8)
        return .nanoseconds(try #require(text.split(separator: " ").first.flatMap { Int($0) }))
    }
}
