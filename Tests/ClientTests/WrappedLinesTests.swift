// WrappedLinesTests: lines that a terminal has no room for.

import NapkinProtocol
import NapkinTerminal
import Testing

@testable import NapkinClient

@Suite struct WrappedLinesTests {
    @Test func `what fits stays as it is, and the rest of a line follows below it, indented`() {
        let lines = ["  one two three four", "five"]
        #expect(lines.wrapped(in: 20) == lines)
        #expect(lines.wrapped(in: .max) == lines)
        #expect(lines.wrapped(in: 12) == ["  one two", "    three", "    four", "five"])
        #expect(["one two three"].wrapped(in: 9, indent: 4) == ["one two", "    three"])
        // One word that is wider than the terminal is cut, and nothing of it is lost.
        let long = ["state " + String(repeating: "x", count: 30)].wrapped(in: 12)
        #expect(long.allSatisfy { CellWidth.cells(of: $0) <= 12 })
        #expect(long.joined().count { $0 == "x" } == 30)
        #expect(["a b c"].wrapped(in: 1) == ["a b c"])
        // A line of somebody else's is as wide as it is printed.
        #expect(["\u{1B}[2J word"].wrapped(in: 12) == [#"\u{1B}[2J"#, "  word"])
    }

    @Test(arguments: [20, 40])
    func `a line that waits keeps its way out`(width: Int) {
        let line = "napkin-client: waiting 4 s for rib-house's worker; Ctrl-C gives up"
        #expect(WaitingLine.fitted(line, to: 80) == line)
        #expect(WaitingLine.fitted(line, to: width).hasSuffix("…; Ctrl-C gives up"))
        #expect(CellWidth.cells(of: WaitingLine.fitted(line, to: width)) <= width)
    }

    @Test func `a check and its advice fit 80 columns, below their subject`() {
        let app = AppInfo(
            app: "rib-house", state: .degraded, sessions: 0, crashes: 4,
            death: "it was ended by signal 6, after: Fatal error: the oven is far too hot")
        let check = Checkup.check(
            app, Welcome(version: .current, server: "napkind 0.2.0", pid: 1))
        let lines = check.lines(in: 80)
        #expect(lines.count == 4, "\(lines)")
        for line in lines { #expect(CellWidth.cells(of: line) <= 80, "\(line)") }
        #expect(lines[0].hasPrefix("problem  rib-house: no more workers"))
        for line in lines.dropFirst() { #expect(line.hasPrefix(String(repeating: " ", count: 9))) }
        #expect(check.lines(in: .max).count == 2)
    }
}
