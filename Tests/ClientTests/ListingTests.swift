// ListingTests: tables, trees, and the statuses that scripts rely on.

import ArgumentParser
import NapkinCore
import NapkinFront
import NapkinProtocol
import Testing

@testable import NapkinClient

@Suite struct ListingTests {
    @Test func `columns are aligned by cells, not by characters`() {
        var table = TextTable("SESSION", "PID")
        table.add("肉の炭火焼き", "1")
        table.add("Cafe\u{301}", "2")
        #expect(table.lines == ["SESSION       PID", "肉の炭火焼き    1", "Cafe\u{301}            2"])
    }

    @Test func `columns are aligned, without spaces at the end`() {
        var table = TextTable("SESSION", "PID", "FRONTS")
        table.add("rib-house", "7", "")
        table.add("a", "1234", "x")
        #expect(
            table.lines == [
                "SESSION     PID  FRONTS", "rib-house     7", "a          1234       x",
            ])
    }

    @Test(arguments: [
        (0, "0s"), (59, "59s"), (60, "1m00s"), (3599, "59m59s"), (3600, "1h00m"),
        (90_000, "1d01h"), (-1, "0s"),
    ])
    func `an age has two units`(seconds: Int, text: String) {
        #expect(Quantity.age(seconds) == text)
    }

    @Test func `a tree is drawn with its slots`() {
        func node(_ feature: String, _ slot: String, _ children: [TreeNode] = []) -> TreeNode {
            TreeNode(
                feature: feature, slot: slot, node: slot == "none" ? nil : 5,
                isActive: slot != "off", tasks: 0, calls: 1, states: 2, children: children)
        }
        let root = node(
            "a.launch", "",
            [
                node("a.home", "home", [node("a.news", "none")]), node("a.board", "off"),
            ])
        #expect(
            TreeDrawing.lines(of: SessionTree(session: "lunch", app: "a", epoch: 7, root: root))
                == [
                    "lunch (a) · epoch 00000007",
                    "└ a.launch #5 · 2 states · 1 call",
                    "  ├ home: a.home #5 · 2 states · 1 call",
                    "  │ └ none: a.news (headless) · 2 states · 1 call",
                    "  └ off: a.board #5 · inactive · 2 states · 1 call",
                ])
        #expect(
            TreeDrawing.lines(of: SessionTree(session: "a", app: "a", epoch: 7, root: nil))
                == ["a: no tree"])
        let programs = [
            HeldInfo(key: "build", state: .running, pid: 12, command: "make -j4"),
            HeldInfo(key: "server", state: .lost, command: "serve"),
        ]
        let tree = SessionTree(
            session: "a", app: "a", epoch: 7, root: node("a.launch", ""), programs: programs)
        #expect(
            TreeDrawing.lines(of: tree).suffix(2)
                == ["▸ build (process 12): make -j4", "▸ server (lost): serve"])
    }

    @Test func `every way to fail has its status`() {
        let refusals: [Refusal.Code: Int32] = [
            .version: 76, .notPermitted: 77, .unknownApp: 66, .unknownSession: 66,
            .sessionOfAnotherApp: 65, .elsewhere: 69, .contractMismatch: 76, .workerUnavailable: 69,
            .overloaded: 75, .shuttingDown: 75, .sessionEnded: 69, .badTicket: 75,
            .badRequest: 65, .protocolViolation: 76, .detached: 69,
        ]
        for code in Refusal.Code.allCases {
            #expect(ExitTable.status(for: code) == refusals[code], "\(code)")
        }
        #expect(ExitTable.status(for: FrontError(.noDaemon, "")) == 69)
        #expect(ExitTable.status(for: FrontError(.disconnected, "")) == 74)
        #expect(ExitTable.status(for: FrontError(.notNapkind, "")) == 76)
        #expect(ExitTable.status(for: FrontError(.silent, "")) == 69)
        #expect(ExitTable.status(for: FrontError(Refusal(.overloaded, ""))) == 75)
        #expect(ExitTable.status(for: FrontError(.notPermitted, "")) == 77)
        #expect(ExitTable.status(for: RemoteFault(.failed, "")) == 1)
        #expect(ExitTable.status(for: RemoteFault(.notExecuted, "")) == 75)
    }

    @Test(arguments: [
        ["attach", "a", "--plain", "--read-only", "--socket", "/tmp/x", "--session", "s"],
        ["attach", "a", "--control", "--no-spawn"], ["ls", "--json", "--socket", "/tmp/x"],
        ["apps", "--json"], ["tree"], ["tree", "s", "--watch", "--json"],
        ["tree", "--inventory"], ["tree", "s", "--inventory", "--json"],
        ["send", "s", "f", "m()", "1", "\"a\"", "--socket", "/tmp/x"],
        ["send", "s", "f", "m()", "--", "-1"], ["kill", "s"], ["detach", "s"],
        ["detach", "s", "18446744073709551615"], ["rename", "s", "t"],
        ["attach", "a", "--take-over"], ["attach", "a", "--take-over", "--read-only"],
        ["ping", "--no-spawn"], ["version"], ["attach"], ["attach", "--read-only"],
        ["new", "app", "A"], ["new", "feature", "A", "--headless"],
        ["new-session", "a"], ["new-session", "a", "s"], ["completion"], ["completion", "zsh"],
    ])
    func `the command line of the contract is understood`(line: [String]) throws {
        #expect(try MainCommand.parseAsRoot(line) is any ClientCommand)
    }

    @Test(arguments: [
        ["attach", "--session", "s"], ["attach", "a", "--plain", "--control"], ["dance"], ["kill"],
        ["send", "s"],
        ["ls", "--socket"], ["detach"], ["detach", "s", "all"], ["detach", "s", "1", "2"],
        ["rename", "s"], ["rename", "s", "t", "u"],
    ])
    func `another command line is a mistake of usage`(line: [String]) {
        do {
            _ = try MainCommand.parseAsRoot(line)
            Issue.record("\(line) was understood")
        } catch {
            #expect(MainCommand.exitCode(for: error).rawValue == ExitTable.usage)
        }
    }

    @Test func `a socket path that is too long is refused before anything is tried`() throws {
        let path = "/tmp/" + String(repeating: "a", count: 103)
        for (count, isFine) in [(107, true), (108, false)] {
            var options = try DaemonOptions.parse(["--socket", String(path.prefix(count))])
            options.noSpawn = true
            do {
                _ = try options.path()
                #expect(isFine)
            } catch {
                #expect(!isFine)
                #expect(error.status == ExitTable.usage)
                #expect(error.message.contains("108 bytes"), "\(error.message)")
            }
        }
    }
}
