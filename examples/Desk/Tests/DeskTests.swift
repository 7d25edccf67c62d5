// DeskTests: the app with real programs, and fronts that record.

import DeskContract
import FoundationEssentials
import NapkinCore
import NapkinSystem
import NapkinTesting
import Testing

@testable import DeskFeature

@MainActor
@Suite(.timeLimit(.minutes(10)))
struct DeskTests {
    /// Runs until it is ended.
    private static let endless = "exec sleep 1000"

    @Test("runs end with their status, in the order of their dependencies")
    func runs() async throws {
        try await Office.open { office in
            let me = try await office.watcher()
            let first = try await me.run("exit 0")
            let second = try await me.run("kill -9 $$", queue: "night", after: [first])
            let third = try await me.run("true", after: [second])
            #expect(try await me.desk.end(of: "\(first)").status == 0)
            let killed = try await me.desk.end(of: "\(second)")
            #expect(killed.state == .failed && killed.status == 128 + 9)
            #expect(try await me.desk.end(of: "\(third)").state == .skipped)
            await me.views.journal.wait { lines in
                lines.contains { $0.contains("announce") && $0.contains("run 2 failed") }
            }
            await #expect(throws: DeskError.unknown("9")) { try await me.desk.end(of: "9") }
            try await office.session.expectQuiescent()
        }
    }

    @Test("the caller's environment and directory reach the program, and its input is typed")
    func surroundings() async throws {
        try await Office.open { office in
            let me = try await office.watcher()
            var order = Order(command: "pwd; echo $WORD $DESK_RUN $(tty); read a; echo got $a")
            order.directory = "/usr"
            let id = try await me.desk.run(order, environment: ["WORD": "hello"])
            try await me.open(id)
            try await me.draws("/usr\nhello \(id) /dev/pts/")
            try await me.page.listener?.didInput(.text("m"))
            // As a script does.
            try await me.desk.type("e\n", into: "\(id)")
            try await me.draws("\nme\ngot me")
            #expect(try await me.desk.end(of: "\(id)").state == .succeeded)
            // The last screen is for whoever comes later, too.
            #expect(try await me.desk.screen(of: "\(id)").hasPrefix("/usr\nhello"))
            // The same again, as bytes.
            let piece = try await me.desk.output(of: "\(id)", from: Piece(), waits: false)
            #expect(String(decoding: piece.bytes, as: UTF8.self).hasPrefix("/usr\r\nhello"))
            let rest = try await me.desk.output(of: "\(id)", from: piece.end, waits: true)
            #expect(rest.isEnd)
        }
    }

    @Test("a search reads names, commands and outputs, the newest first, and no more than it may")
    func search() async throws {
        try await Office.open { office in
            let me = try await office.watcher()
            let first = try await me.run("echo one needle; echo; echo two; echo last NEEDLE")
            _ = try await me.desk.end(of: "\(first)")
            let second = try await me.run("echo hay; exec sleep 1000", name: "needle")
            try await me.open(second)
            try await me.reads("hay")
            let found = try await me.desk.search("needle")
            #expect(
                found.matches.map { "\($0.run):\($0.line)" } == [
                    "2:needle: echo hay; exec sleep 1000",
                    "1:echo one needle; echo; echo two; echo last NEEDLE",
                    "1:one needle", "1:last NEEDLE",
                ])
            #expect(found.rest == nil)
            // What a run that goes on has printed is read, and its next line not waited for.
            #expect(try await me.desk.search("hay").matches.map(\.line).contains("hay"))
            #expect(try await me.desk.search("nothing like it") == Found())
            await #expect(throws: DeskError.self) { try await me.desk.search("") }
            let desk = try #require(office.session.root.interactable as? DeskInteractor)
            let entries = await desk.state.table.entries
            let short = try await OutputSearch("needle", reading: 11)
                .found(in: entries, desk.programs)
            #expect(short.matches.map(\.run) == [1, 1])
            #expect(short.rest == "the output of run 1 and older ones was not read")
        }
    }

    @Test("a page and a filter are a person's, the runs are everybody's")
    func ownPages() async throws {
        try await Office.open { office in
            let me = try await office.watcher()
            let you = try await office.watcher()
            let id = try await me.run("echo one; echo two >&2", name: "first")
            let other = try await me.run("true")
            try await me.open(id)
            try await me.reads("two")
            #expect(try me.page.arguments?.id == id)
            #expect(me.front.shows(RunPage.id) && !you.front.shows(RunPage.id))
            try await you.sees(id, .succeeded)
            try await you.list.listener?.didFilter(RunFilter(words: "FIRST"))
            let yours = try you.list.newest { message -> [Int]? in
                if case .presentRuns(let runs) = message { runs.map(\.id) } else { nil }
            }
            #expect(yours == [id])
            try await me.sees(other, .succeeded)
            // What was printed before is there for whoever opens it later, in order.
            try await you.open(id)
            try await you.reads("one")
            try await you.reads("two")
            try await you.page.listener?.didTapBack()
            #expect(me.front.shows(RunPage.id) && !you.front.shows(RunPage.id))
            try await office.session.expectQuiescent()
        }
    }

    @Test("a person's list is there again next time, for each front of that person alone")
    func persons() async throws {
        try await Office.open { office in
            let ann = try await office.watcher(named: "ann")
            let id = try await ann.run("true", name: "first")
            try await ann.filter("first")
            try await ann.open(id)
            // One who only looks finds it as well, and changes nothing of it.
            let reader = try await office.watcher(isReadOnly: true, named: "ann")
            #expect(try reader.filtered == "first" && reader.front.shows(RunPage.id))
            try await reader.filter("other")
            for name in ["bob", nil] {
                let other = try await office.watcher(named: name)
                #expect(try other.filtered == "" && !other.front.shows(RunPage.id))
            }
            // Two fronts have two pages.
            let second = try await office.watcher(named: "ann")
            #expect(try second.filtered == "first" && second.page.arguments?.id == id)
            try await second.page.listener?.didTapBack()
            #expect(ann.front.shows(RunPage.id) && !second.front.shows(RunPage.id))
            let third = try await office.watcher(named: "ann")
            #expect(try third.filtered == "first" && !third.front.shows(RunPage.id))
            // What one of them changed last is kept.
            await third.front.detach()
            await second.front.detach()
            try await ann.filter("mine")
            await ann.front.detach()
            let next = try await office.watcher(named: "ann")
            #expect(try next.filtered == "mine" && next.page.arguments?.id == id)
            // A front's own way back closes it for the next time, too.
            let desk = try #require(office.session.root.interactable as? DeskInteractor)
            #expect(await desk.state.lists["ann"].run == id)
            try await next.page.dismiss()
            #expect(await desk.state.lists["ann"].run == nil)
            // A run that is forgotten is not opened.
            try await next.open(id)
            _ = try await next.desk.end(of: "\(id)")
            try await next.act(.remove, on: "\(id)")
            let last = try await office.watcher(named: "ann")
            #expect(try last.filtered == "mine" && !last.front.shows(RunPage.id))
            try await office.session.expectQuiescent()
        }
    }

    @Test("the lists of the people who were here last are kept, and no long search")
    func keptLists() {
        var lists = KeptLists()
        func list(_ words: String) -> RunListInteractor.State {
            RunListInteractor.State(filter: RunFilter(words: words), run: 3)
        }
        for number in 0..<KeptLists.peopleMax { lists.keep(list("of \(number)"), of: "\(number)") }
        lists.keep(list("again"), of: "0")
        #expect(lists["1"] == list("of 1"))
        lists.keep(list("of one more"), of: "more")
        #expect(lists["1"] == .init())
        #expect(lists["0"] == list("again") && lists["2"] == list("of 2"))
        #expect(lists["more"] == list("of one more") && lists[nil] == .init())
        #expect(lists.entries.count == KeptLists.peopleMax)
        let longest = String(repeating: "x", count: KeptLists.wordsBytesMax)
        lists.keep(list(longest), of: "0")
        lists.keep(list(longest + "x"), of: "0")
        #expect(lists["0"] == list(longest))
    }

    @Test("a run is paused, goes on, is killed, and runs again")
    func verbs() async throws {
        try await Office.open { office in
            let me = try await office.watcher()
            let id = try await me.run(
                "trap 'echo bye; exit 3' TERM; echo up; " + "sleep 1000 & wait")
            try await me.open(id)
            try await me.reads("up")
            try await me.act(.pause, on: "\(id)")
            try await me.sees(id, .paused)
            await #expect(throws: DeskError.notNow(id, .paused)) {
                try await me.act(.again, on: "\(id)")
            }
            // One that is paused can be killed as well, and says its last words.
            try await me.act(.kill, on: "\(id)")
            #expect(try await me.desk.end(of: "\(id)").state == .killed)
            try await me.reads("bye")
            try await me.page.listener?.didAct(.again)
            try await me.reads("up")
            try await me.sees(id, .running)
            try await me.act(.kill, on: "\(id)")
            #expect(try await me.desk.end(of: "\(id)").attempt == 2)
            try await me.page.listener?.didAct(.remove)
            #expect(!me.front.shows(RunPage.id))
            await #expect(throws: DeskError.unknown("\(id)")) {
                try await me.desk.end(of: "\(id)")
            }
        }
    }

    @Test("a front that is here to look opens pages, and changes nothing")
    func readOnly() async throws {
        try await Office.open { office in
            let me = try await office.watcher()
            let visitor = try await office.watcher(isReadOnly: true)
            let id = try await me.run(Self.endless)
            try await visitor.open(id)
            let page = try #require(try visitor.page.listener)
            await #expect(throws: DeskError.readOnly) { try await page.didAct(.kill) }
            await #expect(throws: DeskError.readOnly) { try await page.didType("x") }
            let size = ConsoleInput.resize(rows: 5, columns: 5)
            try await page.didInput(size)
            await #expect(throws: DeskError.self) { _ = try await visitor.run("true") }
            await page.didTapBack()
            #expect(!visitor.front.shows(RunPage.id))
        }
    }

    @Test("the first answer counts, and the others learn whose it was")
    func questions() async throws {
        try await Office.open { office in
            let me = try await office.watcher()
            let you = try await office.watcher()
            let id = try await me.desk.ask(Question(text: "Deploy?"))
            async let answered = me.desk.answered(id)
            _ = await you.views.newest(Desk.self)?.next { message -> Int? in
                guard case .presentQuestions(let open) = message else { return nil }
                return open.first { $0.answer == nil }?.id
            }
            try await you.desk.answer(id, "yes")
            let answer = try await answered.answer
            #expect(answer?.choice == "yes" && answer?.by.hasSuffix("front 2") == true)
            await #expect(throws: DeskError.self) { try await me.desk.answer(id, "no") }
            #expect(try await me.desk.questions().map(\.id) == [id])
        }
    }

    @Test("a link opens a run on one page or on each")
    func links() async throws {
        try await Office.open { office in
            let me = try await office.watcher()
            let you = try await office.watcher()
            let id = try await me.run("true")
            let mine = "desk://run/\(id)?front=\(me.front.number)"
            #expect(try await end(of: mine, in: office) == nil)
            await me.views.journal.next("+ run in run (push)")
            #expect(!you.front.shows(RunPage.id))
            #expect(try await end(of: "desk://run/\(id)", in: office) == nil)
            await you.views.journal.next("+ run in run (push)")
            #expect(try await end(of: "desk://run/9", in: office)?.contains("no run") == true)
            let nobody = try await end(of: "desk://run/\(id)?front=9", in: office)
            #expect(nobody?.hasPrefix("there is no such front") == true)
            #expect(throws: DeepLinkError.self) { try open("desk://run/last", in: office) }
        }
    }

    private func open(_ url: String, in office: Office) throws -> WorkflowRun {
        try DeskApp.deepLinks.open(url, of: DeskApp.id, on: office.session.root) { _ in }
    }

    /// The reason why a link was not opened.
    private func end(of url: String, in office: Office) async throws -> String? {
        switch try await open(url, in: office).end {
        case .failed(let error): "\(error)"
        case .completed, .cancelled: nil
        }
    }

    @Test("somebody is told elsewhere if nobody is there")
    func notifies() async throws {
        let directory = FileManager.default.temporaryDirectory
            .appending(path: "desk-\(UUID().uuidString)").path()
        try FileManager.default.createDirectory(
            atPath: directory, withIntermediateDirectories: true)
        // What is left of a test that is over does not matter.
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let tell = "\(directory)/tell"
        try Data("#!/bin/sh\nprintf '%s' \"$1\" > \"$0.new\"; mv \"$0.new\" \"$0.said\"\n".utf8)
            .write(to: URL(filePath: tell))
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: tell)
        let changes = try DirectoryChanges(of: directory)
        try await Office.open(settings: ["notifier": tell]) { office in
            let me = try await office.watcher()
            _ = try await me.desk.end(of: "\(me.run("exit 3"))")
            #expect(!FileManager.default.fileExists(atPath: "\(tell).said"))
            let gate = directory + "/gate"
            _ = try await me.run("until [ -e '\(gate)' ]; do sleep 0.01; done; exit 4")
            await me.front.detach()
            try Data().write(to: URL(filePath: gate))
            for await _ in changes
            where FileManager.default.fileExists(atPath: "\(tell).said") { break }
            let said = try String(contentsOf: URL(filePath: "\(tell).said"), encoding: .utf8)
            #expect(said.hasPrefix("run 2 failed: until"))
        }
    }
}
