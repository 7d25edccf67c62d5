// TextTableTests: tables in as many cells as a terminal has.

import NapkinProtocol
import NapkinTerminal
import Testing

@testable import NapkinClient

struct TextTableTests {
    private var table: TextTable {
        var table = TextTable("APP", "PID", "FROM")
        table.add("rib-house", "4711", "/data/ann/.local/share/napkin/apps/rib-house.json")
        table.add("cart", "-", "-")
        return table
    }

    @Test func `a table that fits is as it is`() {
        #expect(table.lines(in: 80, leavingOut: ["PID"]) == table.lines)
        #expect(table.lines[2] == "cart          -  -")
    }

    @Test func `columns are left out first, then the widest is broken`() {
        #expect(
            table.lines(in: 60, leavingOut: ["PID"]) == [
                "APP        FROM",
                "rib-house  /data/ann/.local/share/napkin/apps/rib-house.json", "cart       -",
            ])
        let narrow = table.lines(in: 30)
        #expect(
            narrow[1...3] == [
                "rib-house  4711  /data/ann/.lo", "                 cal/share/nap",
                "                 kin/apps/rib…",
            ])
        #expect(table.lines(in: 1).allSatisfy { CellWidth.cells(of: $0) <= 16 })
    }

    @Test func `numbers end at the same cell, below their heading, also where there are none`() {
        var table = TextTable("APP", "SESSIONS", "RSS", "KEEPS")
        table.add("cart", "12", "9.5 MiB", "crash")
        table.add("rib-house", "3", "", "-")
        #expect(
            table.lines == [
                "APP        SESSIONS      RSS  KEEPS", "cart             12  9.5 MiB  crash",
                "rib-house         3           -",
            ])
    }

    @Test func `a cell breaks between words, and a number keeps its unit`() {
        var table = TextTable("NAME", "SIZE", "COMMAND")
        table.add("build", "9.5 MiB", "make -j4 all of it")
        #expect(
            table.lines(in: 24) == [
                "NAME      SIZE  COMMAND", "build  9.5 MiB  make -j4", "                all of",
                "                it",
            ])
        #expect(table.lines(in: 32, leavingOut: ["SIZE"])[1] == "build  9.5 MiB  make -j4 all of")
        #expect(table.lines(in: 22, leavingOut: ["SIZE"])[1] == "build  make -j4 all of")
    }

    @Test(arguments: [40, 80])
    func `sessions and fronts fit a terminal`(room: Int) {
        let front = FrontInfo(
            front: 12, client: "napkin-client 0.1.0", pid: 1_234_567, uid: 0, idleSeconds: 4000,
            isReadOnly: true)
        let session = SessionInfo(
            session: "rib-house", app: "rib-house", pid: 1_234_567, ageSeconds: 90_000, nodes: 12,
            fronts: [front, front], workerBytes: 18_000_000)
        let lines = SessionListing.lines(
            of: [SessionListing(session) { _ in "engineer" }], in: room)
        for line in lines { #expect(CellWidth.cells(of: line) <= room, "\(line)") }
        for word in ["SESSION", "FRONT", "STATE"] { #expect(lines[0].contains(word)) }
        #expect(lines[0].contains("CLIENT") == (room == 80))
        #expect(lines.contains { $0.hasPrefix("rib-house  rib-house ") })
        #expect(lines.count { $0.hasSuffix(" read-only") } == 2)
    }
}
