// ReadOnlyTests: what only looks creates nothing, whatever it looks with.

import Foundation
import ProofSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct ReadOnlyTests {
    @Test func `what only looks creates no session`() async throws {
        let place = try await Workplace().started()
        for more in [["--plain"], ["--control"], ["--plain", "--session", "lunch"]] {
            let attach = ["attach", place.app, "--read-only"] + more
            let (status, _, errors) = try await place.run(attach)
            #expect(status == 66, "\(attach): \(errors)")
            #expect(errors.contains("there is no session"), "\(attach): \(errors)")
        }
        let python = try place.python("control", [place.app, "--read-only"])
        #expect(await python.exit() == 66)
        for more in [[], ["--session", "lunch"]] {
            let door = try await PageDoor(
                place, ["web", place.app, "--read-only", "--no-open"] + more)
            let (cookie, path) = try door.enter()
            let tab = try door.open(cookie, path)
            #expect(try tab.reads("\"kind\":\"ended\"").contains("there is no session"))
            door.web.signal(SIGTERM)
            #expect(await door.web.exit() == 0)
        }
        let (status, lines, _) = try await place.run(["ls", "--json"])
        #expect(status == 0)
        #expect(try JSON.array(lines.joined()).isEmpty)
    }
}
