// JournalNotesTests: which journals are unread, whose timers are due, and how durable they are.

import NapkinHost
import NapkinProtocol
import Testing

@testable import NapkinDaemon

struct JournalNotesTests {
    private static let stored = StoredNames.Session(name: "a", id: "a")

    private func register(continues: Bool = false, durability: String? = nil) -> Register {
        Register(
            app: "till", pid: 1, socket: "/s", sessions: [], continues: continues,
            durability: durability)
    }

    @Test(
        arguments: [
            (nil, isPlace: true, isUnread: true), ([stored], true, false), ([], false, false),
        ] as [([StoredNames.Session]?, isPlace: Bool, isUnread: Bool)])
    func `a journal without a list of names may have any session, until its worker registers`(
        names: [StoredNames.Session]?, isPlace: Bool, isUnread: Bool
    ) {
        var notes = JournalNotes()
        notes.found(2, names.map { StoredNames($0) })
        #expect(notes.places == (isPlace ? [2] : []))
        #expect(notes.hidden(.shared) == (isUnread ? [2] : []))
        // A part of a registration is not all.
        notes.registered(register(continues: true), by: 2)
        #expect(notes.hidden(.shared) == (isUnread ? [2] : []))
        notes.registered(register(), by: 2)
        #expect(notes.hidden(.shared).isEmpty)
    }

    @Test func `the only worker of an app starts anyway, so that its journal hides nothing`() {
        var notes = JournalNotes()
        notes.found(0, nil)
        #expect(notes.hidden(.shared).isEmpty)
        #expect(notes.hidden(.session) == [0] && notes.unread == [0])
    }

    @Test(
        arguments: [
            (1000, .seconds(60), []), (340_000, .seconds(60), []),
            (340_001, .milliseconds(59_999), []), (399_999, .milliseconds(1), []),
            (400_000, .zero, [1]), (500_000, .zero, [1, 3]),
        ] as [(Int64, Duration, [Int])])
    func `the first timer wakes its worker, and the clock is looked at each minute`(
        now: Int64, wait: Duration, due: [Int]
    ) {
        var notes = JournalNotes()
        #expect(notes.alarm(at: now) == nil)
        for (number, due): (Int, Int64?) in [(1, 400_000), (2, nil), (3, 500_000), (4, 1)] {
            notes.found(number, StoredNames([Self.stored], due: due))
        }
        // A worker that runs looks after its own timers.
        notes.registered(register(), by: 4)
        #expect(notes.alarm(at: now) == wait)
        #expect(notes.takeDue(at: now) == due)
        #expect(notes.takeDue(at: now).isEmpty)
    }

    @Test func `a worker that does not start for its timer is tried again after a minute`() {
        var notes = JournalNotes()
        notes.found(1, StoredNames([Self.stored], due: 1000))
        for now: Int64 in [1000, 61_000] {
            #expect(notes.takeDue(at: now) == [1])
            notes.startFailed(of: 1, at: now)
            #expect(notes.takeDue(at: now + 59_999).isEmpty)
        }
        // One that runs looks after its timers itself.
        notes.registered(register(), by: 1)
        #expect(notes.alarm(at: 121_000) == nil)
    }

    @Test func `workers that died before they registered are found once`() {
        var notes = JournalNotes(unheard: [1, 2, 3])
        notes.registered(register(), by: 3)
        #expect(notes.takeDead { $0 == 1 } == [2])
        #expect(notes.takeDead { $0 == 1 } == [])
        #expect(notes.takeDead { _ in false } == [1])
    }

    @Test(
        arguments: [
            ([:], nil), ([1: "machine", 2: "machine"], "machine"),
            ([1: "machine", 2: "process"], "process"),
        ] as [([Int: String], String?)])
    func `the lowest durability is told`(levels: [Int: String], durability: String?) {
        var notes = JournalNotes()
        for (number, level) in levels { notes.registered(register(durability: level), by: number) }
        #expect(notes.durability(of: [1, 2, 3]) == durability)
    }
}
