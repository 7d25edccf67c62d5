// DurablePageTests: fronts' own pages whose worker was killed, over real processes.

import Foundation
import ProofSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct DurablePageTests {
    private let desk = Desk()

    /// Two fronts of one session, each of which has written into its own page.
    private func written() async throws -> (ControlFront, ControlFront) {
        try desk.choose("long")
        try await desk.place.daemon()
        let fronts = [
            try await desk.place.front(["--session", "main"]),
            try await desk.place.front(["--session", "main"]),
        ]
        for (front, amount) in zip(fronts, [3, 4]) {
            try await front.mounts(Desk.margin)
            try await front.write(amount, to: Desk.margin)
            try await front.shows(text: "\(amount) cents", in: Desk.margin)
        }
        return (fronts[0], fronts[1])
    }

    private func killWorker(_ fronts: ControlFront...) async throws {
        try await desk.place.killWorker()
        for front in fronts {
            try await front.reads { $0.type == "disconnected" }
            try await front.reads { $0.type == "resumed" }
        }
    }

    /// The fronts whose pages are stored.
    private func pages() async throws -> [Int] {
        let shown = try await desk.place.run(["ledger", "show", "main", "--json"])
        let nodes = try JSON.object(shown.lines.joined())["nodes"] as? [[String: Any]] ?? []
        return nodes.compactMap { $0["front"] as? Int }
    }

    @Test func `each front that comes back has its own page as it was`() async throws {
        let (first, second) = try await written()
        try await killWorker(first, second)
        try await first.shows(text: "3 cents", in: Desk.margin)
        try await second.shows(text: "4 cents", in: Desk.margin)
        try await second.write(1, to: Desk.margin)
        try await killWorker(first, second)
        try await first.shows(text: "3 cents", in: Desk.margin)
        try await second.shows(text: "5 cents", in: Desk.margin)
        #expect(try await pages().count == 2)
        // That of a front that has left for good is gone.
        first.child.closeInput()
        #expect(await first.child.exit() == 0)
        try await killWorker(second)
        try await second.shows(text: "5 cents", in: Desk.margin)
        #expect(try await pages().count == 1)
        let next = try await desk.place.front(["--session", "main"])
        try await next.shows(text: "0 cents", in: Desk.margin)
    }
}
