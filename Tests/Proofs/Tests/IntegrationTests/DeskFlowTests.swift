// DeskFlowTests: Desk through its own daemon and client, in tmux, from Python, and after kills.

import Foundation
import ProofSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct DeskFlowTests {
    private let place = Workplace(apps: [.desk], app: "desk")

    /// Calls the client; what was printed, and the status: `3, 0`.
    private func desk(
        _ command: String, _ arguments: String..., with environment: [String: String] = [:]
    ) async throws -> String {
        let (status, lines, errors) = try await run(
            "desk", [command, "--socket", place.socket] + arguments,
            place.environment.merging(environment) { $1 })
        let printed = lines + errors.split(separator: "\n").map(String.init)
        return "\(printed.joined(separator: " ")), \(status)"
    }

    @Test
    func `commands run, wait, write what was printed, end with the status, and answer questions`()
        async throws
    {
        try await place.daemon()
        // The session is there before anybody.
        #expect(try await place.sessions().map(\.name) == ["desk"])
        // Several words reach the program as they are, and so does the environment.
        let text = "a  'b'"
        let answers = [
            try await desk("run", "true"),
            try await desk("run", "--wait", "--", "sh", "-c", "exit 7"),
            try await desk("run", "--wait", "--after", "2", "true"),
            try await desk("run", "--wait", "--", "test", text, "=", text),
            try await desk(
                "run", "--name", "env", "--pipe", "--in", "/usr", "--wait", "echo $A; pwd",
                with: ["A": "b c"]),
        ]
        #expect(answers == ["1, 0", "2, 7", "3, 1", "4, 0", "5, 0"])
        #expect(try await desk("log", "env") == "b c /usr, 0")
        #expect(try await desk("log", "env", "--follow") == "b c /usr, 0")
        #expect(try await desk("wait", "1", "2", "4") == ", 7")
        let listed = try await desk("ls", "env")
        #expect(listed.hasPrefix("5  succeeded  ") && listed.contains("env: echo $A; pwd"))
        #expect(try await desk("search", "B", "c") == "5:b c, 0")
        #expect(try await desk("search", "nothing of this") == ", 1")
        // A group is waited for as a whole.
        let gate = place.directory + "/group"
        let gated = "until [ -e '\(gate)' ]; do sleep 0.01; done; exit 5"
        #expect(try await desk("run", "--group", "g", gated) == "6, 0")
        #expect(try await desk("run", "--group", "g", "true") == "7, 0")
        async let whole = desk("wait", "g")
        #expect(try await desk("run", "--wait", "--in", "/nowhere", "true") == "8, 1")
        #expect(try await desk("run", "--after", "6", "true") == "9, 0")
        let list = try await desk("ls")
        #expect(list.contains("8  failed  0.0  true  (not started: "), "\(list)")
        #expect(list.contains("9  waiting  0.0  after 6  true"), "\(list)")
        #expect(FileManager.default.createFile(atPath: gate, contents: nil))
        #expect(try await whole == ", 5")
        #expect(try await desk("retry", "2") == ", 0")
        #expect(try await desk("wait", "2") == ", 7")
        #expect(try await desk("rm", "env") == ", 0")
        // It runs nothing.
        #expect(try await desk("run", "--help").contains("USAGE: desk run "))
        // A mistake says what to do.
        for (mistake, advice) in [
            (try await desk("log", "env"), "`desk ls` lists them, 1"),
            (try await desk("run", "--after", "99", "true"), "no run or group '99'"),
            (try await desk("run", "--every", "soon", "true"), "write '22:30', 'weekdays 07:00'"),
            (try await desk("attach", "1"), "`desk log 1 --follow` need none"),
            (try await desk("kill", "2"), "run 2 has failed, and can only be run again"),
            (try await desk("run", "--quue", "q", "make"), "has no option '--quue'"),
        ] { #expect(mistake.contains(advice), "\(mistake)") }
        try await worktreesAreMade()
        try await questionsAreAnswered()
    }

    /// A run has a worktree of git's for itself, and another run of that branch has the same.
    private func worktreesAreMade() async throws {
        let app = place.directory + "/app"
        let begin = "git add .; git -c user.name=n -c user.email=e commit -qm begin"
        let script = "git init -qb main '\(app)'; cd '\(app)'; mkdir sub; touch sub/file; \(begin)"
        #expect(try await run("/bin/sh", ["-ec", script], place.environment).status == 0)
        for _ in 1...2 {
            let at = try await desk(
                "run", "--name", "tree", "--pipe", "--wait", "--worktree", "fix/1", "--in",
                app + "/sub", "pwd; git branch --show-current; ls")
            #expect(at.hasSuffix(", 0"))
            #expect(try await desk("log", "tree") == "\(app)-fix-1/sub fix/1 file, 0")
            #expect(try await desk("rm", "tree") == ", 0")
        }
        let none = try await desk("run", "--worktree", "fix", "--in", place.directory, "true")
        #expect(none.contains("--worktree: fatal: not a git repository") && none.hasSuffix(", 64"))
    }

    /// A question is answered on the command line, from Python, and by time.
    private func questionsAreAnswered() async throws {
        async let asked = desk("ask", "Go on?", "--choices", "go,stay", with: ["DESK_RUN": "3"])
        let front = try await place.front()
        try await front.shows {
            $0.value("desk.desk", "present(questions:)")?.contains(#""text":"Go on?""#) == true
        }
        #expect(try await desk("answer", "1", "perhaps").contains("not one of go, stay, 1"))
        #expect(try await desk("answer", "1", "stay") == ", 0")
        #expect(try await asked == "stay, 1")
        #expect(
            try await desk("answer", "1", "go").contains("question 1 was answered stay by desk"))
        #expect(
            try await desk("ask", "Now?", "--within", "1s", "--default", "no") == "no, 1")
        #expect(try await desk("ask", "Now?", "--within", "1s") == ", 75")
        let python = Child(
            try Spawned(
                Python.path(),
                [Repository.root + "/examples/Desk/desk_front.py", "--socket", place.socket]
                    + ["--approve", "tests"], environment: place.environment))
        #expect(try await desk("ask", "May I run the tests?") == "yes, 0")
        kill(python.pid, SIGINT)
        _ = await python.exit()
        let history = try await desk("questions")
        #expect(
            history.contains("1  stay  run 3: Go on?  (desk ") && history.contains("desk_front"))
        let followed = try await run(
            Python.path(),
            [Repository.root + "/examples/Desk/desk_front.py", "--socket", place.socket]
                + ["echo one; exit 6"], place.environment)
        #expect(followed.status == 6 && followed.lines == ["one"], "\(followed)")
    }

    @Test func `runs, schedules and questions go on through kills of worker and napkind`()
        async throws
    {
        var daemon = try await place.daemon()
        let gate = place.directory + "/gate"
        let gated = "until [ -e '\(gate)' ]; do sleep 0.01; done; echo end; exit 4"
        _ = try await desk("run", "--pipe", gated)
        _ = try await desk("run", "--after", "1", "true")
        _ = try await desk("run", "--every", "24h", "true")
        _ = try await desk("run", "--retry", "1", "--backoff", "1s", "exit 3")
        let ann = try await annFilters()
        async let asked = desk("ask", "Still there?")
        async let waited = desk("wait", "1")
        let front = try await place.front()
        try await front.shows {
            $0.value("desk.desk", "present(questions:)")?.contains("Still there?") == true
        }
        // Whoever waits is there as well: with no napkind to be found, a command ends.
        _ = try await place.sessions { $0.contains { $0.name == "desk" && $0.fronts.count == 4 } }
        for round in 0..<4 {
            let worker = try await place.workerPID()
            if round != 1 { kill(worker, SIGKILL) }
            if round > 0 {
                try await killed(daemon)
                daemon = try await place.daemon()
            }
            _ = try await place.sessions {
                $0.contains { $0.name == "desk" && $0.object["silence"] == nil }
            }
            #expect(try await desk("ls").contains("1  running  "), "round \(round)")
        }
        try await annReturns(besides: ann)
        #expect(try await desk("answer", "1", "yes") == ", 0")
        #expect(try await asked == "yes, 0")
        #expect(FileManager.default.createFile(atPath: gate, contents: nil))
        let ended = try await waited
        #expect(ended == ", 4")
        #expect(try await desk("log", "1") == "end, 0")
        #expect(try await desk("wait", "4") == ", 3")
        let list = try await desk("ls")
        for line in ["2  skipped", "3  waiting", "4  failed"] {
            #expect(list.contains(line), "\(list)")
        }
    }

    private static let annsFilter = #"[{"words":"until","shows":"active"}]"#

    /// A person filters the list, opens a run and leaves; another front of hers stays.
    private func annFilters() async throws -> ControlFront {
        let ann = try await place.front(["--as", "ann"])
        try await ann.mounts("desk.list")
        #expect(try await ann.call("desk.list", "didFilter(_:)", Self.annsFilter).isOK)
        #expect(try await ann.call("desk.list", "didSelect(_:)", "[1]").isOK)
        let other = try await place.front(["--as", "ann"])
        try await other.mounts("desk.run")
        ann.child.closeInput()
        #expect(await ann.child.exit() == 0)
        return other
    }

    /// The same person finds the list filtered and the run open, also from Python.
    private func annReturns(besides other: ControlFront) async throws {
        // What stayed has its own page back, and none in its place.
        #expect(try await other.call("desk.list", "didFilter(_:)", Self.annsFilter).isOK)
        let pages = other.seen.filter { $0.isMount("desk.run") }.map(\.node)
        #expect(pages.count > 1 && Set(pages).count == 1, "\(pages)")
        let ann = try await place.front(["--as", "ann"])
        try await ann.mounts("desk.run")
        let filter = try #require(ann.screen.value("desk.list", "present(filter:)"))
        #expect(filter.contains(#""words":"until""#), "\(filter)")
        let python = Child(
            try Spawned(
                Python.path(),
                [Repository.root + "/examples/Desk/desk_front.py", "--socket", place.socket]
                    + ["--as", "ann"], environment: place.environment))
        _ = try await python.line { $0.isEmpty }
        python.signal(SIGINT)
        _ = await python.exit()
        let lines = await python.allLines().prefix { !$0.isEmpty }
        #expect(lines.count == 1 && lines[0].hasPrefix("   1 running"), "\(lines)")
    }

    @Test func `a worker ends at once, also while runs print without a pause`() async throws {
        let daemon = try await place.daemon()
        let line = String(repeating: "x", count: 4000)
        #expect(try await desk("run", "yes") == "1, 0")
        #expect(try await desk("run", "--pipe", "yes", line) == "2, 0")
        // What is there, though there is always more; at first, nothing is.
        var printed = ", 0"
        while printed == ", 0" { printed = try await desk("log", "2") }
        #expect(printed.hasSuffix("x, 0"))
        #expect(try await desk("search", "nowhere") == ", 1")
        #expect(try await place.run(["restart", "desk"]).status == 0)
        #expect(try await desk("ls", "--active").contains("2  running"))
        // A worker that goes on for 5 s is killed.
        #expect(!daemon.errorText.contains("worker killed"))
    }

    @Test func `attach is a run's terminal, which can be left, and the screen stays`()
        async throws
    {
        try await place.daemon()
        // A title that the narrow window below cuts off.
        _ = try await desk(
            "run", "--name", "sh", "--", "sh", "-c", "PS1='ready> ' exec sh -i",
            "with", "more", "words", "than", "60")
        let client = try Product.path("desk")
        let terminal = try await Tmux(
            place, columns: 80, lines: 24, "'\(client)' attach --socket '\(place.socket)' sh")
        // The page's title has it, too.
        try await terminal.shows("the prompt") { $0.contains("\nready>") }
        try await terminal.type("stty size; echo $((6*7))")
        try await terminal.shows(" 80\n42")
        try await terminal.resize(columns: 60, lines: 20)
        // Drawn anew.
        try await terminal.shows("…")
        try await terminal.type("stty size; echo $((6*8))")
        try await terminal.shows(" 60\n48")
        // Another worker draws the same, in the size that it has.
        let former = try await place.workerPID()
        try await place.killWorker(former)
        // Between the two there is none.
        while (try? await place.workerPID()) ?? former == former {}
        try await terminal.shows("the next worker's") { $0.contains(" connected ") }
        try await terminal.type("echo $((6*9))")
        try await terminal.shows("48\nready> echo $((6*9))\n54")
        try await terminal.press("C-\\", "q")
        #expect(try await desk("ls").contains("1  running"))
        #expect(try await desk("screen", "sh").contains("ready> echo $((6*9)) 54"))
        // The name alone shows the list, and a run on it.
        try await terminal.startAgain(with: "'\(client)' --socket '\(place.socket)'")
        try await terminal.shows("sh: sh -c")
        try await terminal.press("Enter")
        try await terminal.shows("54")
        try await terminal.type("exit 3")
        try await terminal.shows("exit 3 ·")
        // Its last screen is that of whoever comes later, and keys are the page's.
        try await terminal.press("b")
        try await terminal.shows("exit 3       sh: sh -c")
        try await terminal.press("Enter")
        try await terminal.shows("54")
    }

    @Test
    func `a question rings in a terminal and on a page that asked, and a phone has an editor`()
        async throws
    {
        try await withPage(place, ["--as", "ann"]) { shown in
            let page = shown.page
            let client = try Product.path("desk")
            let terminal = try await Tmux(
                place, columns: 80, lines: 24,
                "NAPKIN_BELL=osc777 '\(client)' --socket '\(place.socket)'")
            try await terminal.shows("a command; Enter runs it")
            try await page.shows("0 running")
            // Its own could not be answered: a person would be asked.
            try await page.evaluate(
                """
                window.seen = [];
                window.Notification = class {
                  static permission = "default";
                  static async requestPermission() { Notification.permission = "granted"; }
                  constructor(title, { body }) { seen.push(`${title}: ${body}`); }
                };
                document.hasFocus = () => false;
                """)
            async let first = desk("ask", "One?")
            try await page.holds("document.title === '(1) Desk · desk'")
            try await page.holds("seen.length === 0 && !document.getElementById('notify').hidden")
            try await page.evaluate("document.getElementById('notify').click()")
            try await page.holds("document.getElementById('notify').hidden")
            async let second = desk("ask", "Two?")
            try await page.holds("seen.join() === '(2) Desk · desk: Two?'")
            for text in ["One?", "Two?"] {
                try await terminal.hears(
                    #"\007\033Ptmux;\033\033]777;notify;desk;\#(text)\007\033"#)
            }
            for id in ["1", "2"] { #expect(try await desk("answer", id, "yes") == ", 0") }
            #expect(try await [first, second] == ["yes, 0", "yes, 0"])
            try await page.holds("document.title === 'Desk · desk' && seen.length === 1")
            try await editorIsUsed(shown)
        }
    }

    @Test func `a run is shared with others, who look, and with a browser that may do more`()
        async throws
    {
        try await place.daemon()
        _ = try await desk("run", "--name", "sh", "--", "sh", "-c", "PS1='ready> ' exec sh -i")
        #expect(try await desk("share", "web", "--read-only").contains("no run or group 'web'"))
        let browser = try Browser(place)
        for isReadOnly in [true, false] {
            let words = ["share", "sh", "--socket", place.socket]
            let web = Child(
                try Spawned(
                    Product.path("desk"), words + (isReadOnly ? ["--read-only"] : []),
                    environment: place.environment))
            let (_, url) = try await web.line { $0.contains("/?token=") }
            let page = try await browser.open(url)
            // The run's page is the first one.
            try await page.shows("ready>")
            try await browser.front(page)
            try await page.holds("!!document.querySelector('.typing')")
            try await page.evaluate("document.querySelector('.typing').focus()")
            try await page.type("echo $((6*\(isReadOnly ? 7 : 8)))\n")
            try await page.shows(isReadOnly ? "this front is read-only" : "48")
            if isReadOnly {
                try await page.click("Kill")
                try await page.holds("!document.getElementById('main').innerText.includes('42')")
            }
            #expect(try await desk("ls").contains("1  running"))
            if !isReadOnly { try await staysWhereItIs(page) }
            web.signal(SIGINT)
            #expect(await web.exit() == 0)
            #expect(await web.allErrors() == "")
        }
        #expect(try await desk("screen", "sh") == "ready> echo $((6*8)) 48 ready>, 0")
    }

    /// A page that is loaded again is the same front, on the page to which its person has gone.
    private func staysWhereItIs(_ page: BrowserPage) async throws {
        try await page.click("Back")
        try await page.shows("1 running")
        let fronts = try await self.fronts()
        try await page.reload()
        try await page.shows("1 running")
        #expect(try await self.fronts() == fronts)
        try await page.click("sh: sh", "[role=option]")
        try await page.shows("ready>")
    }

    private func fronts() async throws -> [Int] {
        try await place.sessions().flatMap(\.fronts).map(\.number)
    }

    /// An editor is used on a phone, with keys that a phone lacks.
    private func editorIsUsed(_ shown: ShownPage) async throws {
        let (page, note) = (shown.page, place.directory + "/note.txt")
        _ = try await shown.browser.command(
            "Emulation.setDeviceMetricsOverride",
            ["width": 390, "height": 700, "deviceScaleFactor": 2, "mobile": true],
            session: page.session)
        #expect(try await desk("run", "vim.tiny -u NONE '\(note)'") == "1, 0")
        try await page.click("vim.tiny", "[role=option]")
        try await page.holds("!!document.querySelector('.typing')")
        try await shown.browser.front(page)
        try await page.evaluate("document.querySelector('.typing').focus()")
        try await page.type("iribs")
        try await page.evaluate("document.querySelector('[data-sends=Escape]').click()")
        try await page.holds("document.documentElement.scrollWidth <= innerWidth")
        // It is the person's, who finds it wherever else she is.
        let other = try await place.front(["--as", "ann"])
        try await other.mounts("desk.run")
        try await page.type(":wq\n")
        #expect(try await desk("wait", "1") == ", 0")
        #expect(try String(contentsOfFile: note, encoding: .utf8) == "ribs\n")
        try await page.click("Back")
        try await page.shows("0 running")
    }
}
