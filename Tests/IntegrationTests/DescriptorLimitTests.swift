// DescriptorLimitTests: how many sockets napkind and its workers may have.

import Foundation
import ProcessSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct DescriptorLimitTests {
    /// Soft and hard limit of open files.
    private func limits(of pid: Int32) throws -> [String] {
        let text = try String(contentsOfFile: "/proc/\(pid)/limits", encoding: .utf8)
        let line = try #require(
            text.split(separator: "\n").first { $0.hasPrefix("Max open files") })
        return line.split(separator: " ").filter { Int($0) != nil }.map(String.init)
    }

    @Test func `napkind and its workers may have as many as the hard limit allows`() async throws {
        let place = Workplace()
        defer { place.cleanUp() }
        let daemon = try Child(
            "/bin/sh",
            [
                "-c", "ulimit -Sn 256 && exec \"$0\" \"$@\"", try Product.path("napkind"),
                "--socket", place.socket, "--state-dir", place.state, "--ready-fd", "1",
            ], environment: place.environment)
        _ = try await daemon.line { $0 == "ready \(place.socket)" }
        let front = try await place.front()
        let worker = try await place.workerPID()
        for pid in [daemon.pid, worker] {
            let found = try limits(of: pid)
            #expect(found.count == 2 && found[0] == found[1], "\(found)")
        }
        front.child.closeInput()
        #expect(await front.child.exit() == 0)
    }
}
