// WebShareTests: an address for others, who look at a session and change nothing.

import Foundation
import ProofSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct WebShareTests {
    private func withShare(
        _ body: (PageDoor, ControlFront) async throws -> Void
    ) async throws {
        let place = try await Workplace.questions().started()
        let front = try await place.front()
        let door = try await PageDoor(place, ["share", Question.app, "--read-only"])
        try await body(door, front)
    }

    private static let connected = "\"kind\":\"connected\""

    @Test
    func `several browsers have the address, which follows its session, and each logs out alone`()
        async throws
    {
        try await withShare { door, _ in
            let guests = try (0..<3).map { _ in try door.enter() }
            #expect(Set(guests.map(\.path)).count == 3)
            let tabs = try guests.map { try door.open($0.cookie, $0.path) }
            for tab in tabs {
                #expect(try tab.reads(Self.connected).contains("read only"))
            }
            // Nobody has another's page or tab.
            #expect(
                try door.request(guests[0].path, cookie: guests[1].cookie)
                    .hasPrefix("HTTP/1.1 403"))
            #expect(try door.logOut(guests[0].cookie, guests[0].path).hasPrefix("HTTP/1.1 204"))
            try tabs[0].reads("logged out")
            #expect(
                try door.request(guests[0].path, cookie: guests[0].cookie)
                    .hasPrefix("HTTP/1.1 403"))
            tabs[1].send(PageDoor.frame("still there", opcode: 0x89))
            try tabs[1].reads("still there")
            // The address is the same for those who come later.
            _ = try door.enter()
            try tabsAreShared(door)
            try await showsNoOtherPage(door)
            try await followsItsSession(door)
        }
    }

    /// One browser of several has some of the tabs, others theirs.
    private func tabsAreShared(_ door: PageDoor) throws {
        let (greedy, other) = (try door.enter(), try door.enter())
        let tabs = try (0..<20).map { _ in try door.open(greedy.cookie, greedy.path) }
        for tab in tabs { try tab.reads(Self.connected) }
        let late = try door.open(greedy.cookie, greedy.path)
        try late.reads("this browser has 20 tabs open already")
        #expect(try late.readMessage() == nil)
        try door.open(other.cookie, other.path).reads(Self.connected)
        tabs[0].send(PageDoor.frame("still there", opcode: 0x89))
        try tabs[0].reads("still there")
    }

    /// It shows its session's page and no other, where an event is refused.
    private func showsNoOtherPage(_ door: PageDoor) async throws {
        let (cookie, path) = try door.enter()
        let own = try door.open(cookie, path)
        try own.reads(Self.connected)
        // The first event of the generic page, by its key.
        own.send(PageDoor.frame(#"{"type":"key","number":1,"key":"1"}"#))
        #expect(try own.reads("\"notice\":").contains("read"))
        #expect(try await door.place.run(["ls", "--json"]).lines.joined().contains("(share)"))
        let app = Question.app
        for page in ["inspector", "\(app)~\(app)", "\(app)~other"] {
            let tab = try door.open(cookie, path, page: page)
            #expect(try tab.reads("\"state\":").contains("there is no such page"), "\(page)")
        }
    }

    @Test
    func `it ends on demand, by a signal or where it is detached, and what cannot be is refused`()
        async throws
    {
        for isSignalled in [true, false] {
            try await withShare { door, _ in
                let (cookie, path) = try door.enter()
                let tab = try door.open(cookie, path)
                try tab.reads(Self.connected)
                if isSignalled {
                    door.web.signal(SIGINT)
                } else {
                    let text = try await door.place.run(["ls", "--json"]).lines.joined()
                    let number = try Self.sharing(in: text)
                    let (status, _, errors) = try await door.place.run(
                        ["detach", Question.app, "\(number)"])
                    #expect(status == 0, "\(errors)")
                }
                try tab.reads("\"kind\":\"ended\"")
                #expect(await door.web.exit() == 0)
            }
        }
        try await refusesWithAdvice()
    }

    /// Returns the number of the front that holds the address.
    private static func sharing(in listing: String) throws -> Int {
        let sessions = try JSON.array(listing)
        let fronts = sessions.flatMap { $0["fronts"] as? [[String: Any]] ?? [] }
        let front = fronts.first { ($0["client"] as? String)?.hasSuffix("(share)") == true }
        guard let number = front?["front"] as? Int else { throw Failure(listing) }
        return number
    }

    /// It follows its session to another name, and ends with it.
    private func followsItsSession(_ door: PageDoor) async throws {
        #expect(try await door.place.run(["rename", Question.app, "lunch"]).status == 0)
        let (cookie, path) = try door.enter()
        let tab = try door.open(cookie, path)
        #expect(try tab.reads(Self.connected).contains("session lunch"))
        #expect(try await door.place.run(["kill", "lunch"]).status == 0)
        try tab.reads("\"kind\":\"ended\"")
        #expect(await door.web.exit() == 0)
        #expect(await door.web.allErrors().contains("is no longer shared"))
    }

    /// What cannot be shared is refused with what to do.
    private func refusesWithAdvice() async throws {
        let place = try await Workplace.questions().started()
        try await place.fails(
            ["share", "lunch", "--read-only"], 66, saying: ["no session 'lunch'"])
        try await place.fails(
            ["web", Question.app, "--unix", "/tmp/napkin-web.sock", "--origin", "https://a"], 77,
            saying: ["choose a directory of your own with --unix PATH"])
    }
}
