// TicketBookTests: tickets that are good once, for a while, and not too many of them.

import NapkinProtocol
import Testing

struct TicketBookTests {
    private static let life = UInt64(Limits.ticketSeconds) * 1000

    private func book(_ count: Int, at now: UInt64 = 0) -> TicketBook {
        var book = TicketBook()
        for number in 0..<count {
            _ = book.add(Admit(ticket: "\(number)", session: "s", pid: Int32(number)), now: now)
        }
        return book
    }

    @Test func `S12: a ticket is good once`() {
        var tickets = book(1)
        #expect(tickets.redeem("1", now: 0) == nil)
        #expect(tickets.redeem("0", now: 0) == "s")
        #expect(tickets.redeem("0", now: 0) == nil)
    }

    @Test(arguments: [-1, 0, 1]) func `a ticket is good for its time exactly`(offset: Int) {
        var tickets = book(1, at: 500)
        let session = tickets.redeem("0", now: (500 + Self.life).advanced(by: offset))
        #expect(session == (offset < 0 ? "s" : nil))
    }

    @Test(arguments: [-1, 0, 1]) func `tickets are limited exactly: the newest is dropped`(
        offset: Int
    ) {
        let count = Limits.ticketsMax + offset
        var tickets = book(count)
        #expect(tickets.count == min(count, Limits.ticketsMax))
        #expect(tickets.redeem("\(count - 1)", now: 0) == (offset > 0 ? nil : "s"))
        #expect(tickets.redeem("0", now: 0) == "s")
    }

    @Test func `tickets that are too old make room`() {
        var tickets = book(Limits.ticketsMax)
        let early = tickets.add(Admit(ticket: "early", session: "s", pid: -1), now: Self.life - 1)
        #expect(!early)
        #expect(tickets.redeem("early", now: Self.life - 1) == nil)
        let late = tickets.add(Admit(ticket: "late", session: "s", pid: -1), now: Self.life)
        #expect(late)
        #expect(tickets.redeem("late", now: Self.life) == "s")
        #expect(tickets.count == 0)
    }

    @Test(arguments: [-1, 0, 1]) func `tickets of one process are limited exactly`(offset: Int) {
        var tickets = TicketBook()
        func admit(_ number: Int, of pid: Int32) -> Admit {
            Admit(ticket: "\(pid) \(number)", session: "s", pid: pid)
        }
        let count = Limits.ticketsPerProcessMax + offset
        for number in 0..<count {
            let isAdded = tickets.add(admit(number, of: 7), now: 0)
            #expect(isAdded == (number < Limits.ticketsPerProcessMax))
        }
        // Others get theirs; one that is used makes room, and so do those that are too old.
        let other = tickets.add(admit(0, of: 8), now: 0)
        #expect(tickets.redeem("7 0", now: 0) == "s")
        let next = tickets.add(admit(count, of: 7), now: 0)
        let late = tickets.add(admit(count + 1, of: 7), now: Self.life)
        #expect(other && next && late)
    }

    @Test func `a session that is killed or renamed takes its tickets with it`() {
        var tickets = book(2)
        _ = tickets.add(Admit(ticket: "other", session: "t", pid: -1), now: 0)
        tickets.rename("s", to: "u")
        #expect(tickets.redeem("0", now: 1) == "u")
        tickets.revoke(session: "s")
        #expect(tickets.redeem("1", now: 1) == "u")
        tickets.revoke(session: "t")
        #expect(tickets.redeem("other", now: 1) == nil)
    }
}
