// StoredSessionsTests: the sessions of a journal, by name, over their lives.

import Testing

@testable import NapkinLedger

struct StoredSessionsTests {
    typealias Step = @Sendable (inout StoredSessions) -> String?

    private func sessions(after group: GroupNumber = 5) -> StoredSessions {
        StoredSessions([StoredSession(session: 3, name: "tea", id: "T", base: 1)], after: group)
    }

    /// Begins a session, whose number is 6.
    private static let begin: Step = {
        $0.begin(SessionTitle(name: "rice", id: "R", epoch: 1), as: $0.makeNumber())
        return nil
    }

    private static func stored(_ session: SessionNumber) -> Step { { $0.stored(session) } }

    private static func rename(_ name: String) -> Step {
        {
            $0.rename(name, to: "soup")
            return nil
        }
    }

    /// Ends a session, and says nothing.
    private static func end(_ name: String) -> Step {
        { sessions in sessions.end(name).flatMap { _ in nil } }
    }

    @Test(
        arguments: [
            ([], ["tea": true], []),
            ([begin], ["tea": true, "rice": false], []),
            ([begin, stored(6), stored(6)], ["tea": true, "rice": true], ["rice"]),
            ([begin, rename("rice"), stored(6)], ["tea": true, "soup": true], ["soup"]),
            ([begin, rename("rice")], ["tea": true, "soup": false], []),
            ([rename("tea"), stored(3)], ["soup": true], []),
            ([rename("rice")], ["tea": true], []),
            ([begin, end("rice"), stored(6)], ["tea": true], []),
            ([end("tea"), begin], ["rice": false], []),
        ] as [([Step], [String: Bool], [String])])
    func `a session is known by its name, and kept once it is durable`(
        steps: [Step], kept: [String: Bool], told: [String]
    ) {
        var sessions = sessions()
        #expect(steps.compactMap { $0(&sessions) } == told)
        #expect(sessions.names == kept.keys.sorted())
        for (name, isKept) in kept {
            #expect(sessions.holds(name) && sessions.keeps(name) == isKept)
        }
        #expect(!sessions.holds("nobody") && !sessions.keeps("nobody"))
    }

    @Test(arguments: [(1, 4), (3, 4), (5, 6)] as [(GroupNumber, SessionNumber)])
    func `no number is given twice, not even that of a session that has ended`(
        group: GroupNumber, first: SessionNumber
    ) {
        var sessions = sessions(after: group)
        #expect(sessions.makeNumber() == first && sessions.makeNumber() == first + 1)
        #expect(sessions["tea"] == 3 && sessions.titles.map(\.id) == ["T"])
        let ended = sessions.end("tea")
        #expect(ended?.session == 3 && ended?.id == "T" && sessions["tea"] == nil)
        #expect(sessions.end("tea") == nil && sessions.isEmpty && sessions.ids.isEmpty)
    }
}
