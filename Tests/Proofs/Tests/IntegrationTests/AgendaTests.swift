// AgendaTests: timers and jobs that survive their worker, and sessions that leave the memory.

import Foundation
import ProofSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct AgendaTests {
    private static let agenda = "agenda.agenda"
    private static let entries = "present(entries:)"

    private let place = Workplace(apps: [.agenda], app: "agenda")

    private func started() async throws -> ControlFront {
        try await place.daemon()
        return try await agenda("main")
    }

    private func agenda(_ session: String) async throws -> ControlFront {
        let front = try await place.front(["--session", session])
        try await front.mounts(Self.agenda)
        return front
    }

    /// - Parameter pid: the worker, where there is no time to ask for it.
    private func killWorker(
        _ place: Workplace, _ front: ControlFront, pid: Int32? = nil
    ) async throws {
        try await place.killWorker(pid)
        try await front.reads { $0.type == "resumed" }
        try await front.mounts(Self.agenda)
    }

    private func entries(_ screen: Screen) -> [String]? {
        guard let text = screen.value(Self.agenda, Self.entries) else { return nil }
        // What is no array of texts is not what is waited for.
        return try? JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String]
    }

    /// The newest entries that have been read, or the first ones that an attach shows.
    private func entries(_ front: ControlFront) async throws -> [String] {
        try await front.shows { entries($0) != nil }
        return try #require(entries(front.screen))
    }

    private func shows(_ front: ControlFront, _ entries: [String]) async throws {
        try await front.shows { self.entries($0) == entries }
    }

    /// The jobs that were performed so far, each by its key and its text.
    private func performed(_ place: Workplace) -> [String] {
        let path = "\(place.directory)/data/napkin/agenda/main.log"
        // There is no file before the first job.
        let text = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
        return text.split(separator: "\n").map(String.init)
    }

    private func performs(_ place: Workplace, _ count: Int) async throws -> [String] {
        // A round trip to the worker, and not a pause, between two looks.
        while performed(place).count < count { _ = try await listed(place) }
        return performed(place)
    }

    // MARK: - Timers

    /// U11: a timer fires once or repeats, also when its worker was killed before.
    private func firesOverDeaths(_ front: ControlFront) async throws {
        let worker = try await place.workerPID()
        try await front.calls("remind(_:_:after:)", #"["tea","now",400]"#)
        try await killWorker(place, front, pid: worker)
        try await shows(front, ["fired tea now"])
        try await killWorker(place, front)
        try await front.calls("remind(_:_:after:)", #"["cake","now",0]"#)
        try await shows(front, ["fired tea now", "fired cake now"])
        // One that repeats goes on.
        try await front.calls("remind(_:every:missing:)", #"["milk",100,5]"#)
        for count in [4, 6] {
            try await front.shows { (entries($0)?.count ?? 0) >= count }
            let before = try await entries(front)
            try await killWorker(place, front)
            let after = try await entries(front)
            #expect(after.starts(with: before), "\(before), then \(after)")
        }
    }

    // MARK: - Jobs

    @Test
    func `U11, U12: a job is performed again after its worker's death, and timers fire over one`()
        async throws
    {
        let front = try await started()
        let reply = try await front.calls("order(_:)", #"["hangs"]"#)
        let key = try #require(reply.object["value"] as? String)
        #expect(try await performs(place, 1) == ["\(key) hangs"])
        try await killWorker(place, front)
        try await shows(front, ["done \(key) hangs"])
        #expect(performed(place) == ["\(key) hangs", "\(key) hangs"])
        // One whose result has come is not.
        try await killWorker(place, front)
        #expect(try await entries(front) == ["done \(key) hangs"])
        #expect(performed(place).count == 2)
        try await firesOverDeaths(try await agenda("timers"))
    }

    // MARK: - Passivation

    private func listed(_ place: Workplace) async throws -> (nodes: Int, sessions: Int) {
        while true {
            let (status, lines, _) = try await place.run(["ls", "--json"])
            // Sessions whose worker has not answered are missing.
            guard status == 0 else { continue }
            let sessions = try JSON.array(lines.joined())
            let nodes = sessions.reduce(0) { $0 + ($1["nodes"] as? Int ?? 0) }
            return (nodes, sessions.count)
        }
    }

    /// Detaches the front, and returns when its session has left the memory.
    private func passivates(_ place: Workplace, _ front: ControlFront) async throws {
        front.child.signal(SIGKILL)
        while try await listed(place).nodes > 0 {}
    }

    @Test
    func `U13: an idle session leaves the memory, stays listed, and comes back, also by a timer`()
        async throws
    {
        let front = try await started()
        try await front.calls("fill(_:)", "[3]")
        try await passivates(place, front)
        #expect(try await listed(place).sessions == 1)
        let pid = try await place.workerPID()
        let second = try await place.front(["--session", "main"])
        try await second.mounts(Self.agenda)
        try await shows(second, ["entry 0", "entry 1", "entry 2"])
        #expect(try await place.workerPID() == pid)
        var (guest, milliseconds) = (second, 1500)
        var count = 0
        while true {
            try await guest.calls("remind(_:_:after:)", #"["tea","posts",\#(milliseconds)]"#)
            try await passivates(place, guest)
            // On a busy machine it may have been due before.
            if performed(place).count == count { break }
            count += 1
            milliseconds *= 2
            guest = try await place.front(["--session", "main"])
            try await guest.mounts(Self.agenda)
        }
        // Nobody attaches: the timer's handler posts a job.
        let done = try await performs(place, count + 1)
        #expect(done.count == count + 1 && done[count].hasSuffix("by tea"))
    }

    // MARK: - Tools

    private func ledger(_ place: Workplace, _ words: String...) async throws -> [String] {
        let (status, lines, errors) = try await place.run(["ledger"] + words)
        try Failure.unless(status == 0, "\(words): \(errors)")
        return lines
    }

    @Test
    func `timers and dead letters are shown, and a rewind leaves them`()
        async throws
    {
        let front = try await started()
        try await front.calls("remind(_:every:missing:)", #"["tea",3600000,0]"#)
        let order = try await front.calls("order(_:)", #"["fails"]"#)
        let key = try #require(order.object["value"] as? String)
        try await shows(front, ["dead \(key) 3"])
        let text = try await ledger(place, "show", "main")
        #expect(text.contains { $0.hasPrefix("  timer 'tea' of 1: fires at ") }, "\(text)")
        #expect(text.contains { $0.hasPrefix("  job \(key) of 1: given up after 3 attempts: ") })
        let shown = try JSON.object(try await ledger(place, "show", "main", "--json").joined())
        let timers = try #require(shown["timers"] as? [[String: Any]])
        #expect(timers.map { $0["interval"] as? Int } == [3_600_000])
        let jobs = try #require(shown["jobs"] as? [[String: Any]])
        #expect(jobs.map { $0["attempts"] as? Int } == [3])

        let records = try #require(shown["records"] as? [[String: Any]])
        let changes = records.map { $0["changes"] as? [String] ?? [] }
        for what in ["posted", "attempt 2 of", "given up", "told of"] {
            #expect(changes.joined().contains("\(what) job \(key) of 1"), "\(changes)")
        }
        let scheduled = try #require(
            changes.firstIndex { $0.contains("scheduled timer 'tea' of 1") })
        let before = scheduled > 0 ? records[scheduled - 1]["record"] : shown["oldest"]
        let record = try #require(before as? Int)
        let undone = try await ledger(place, "rewind", "main", "\(record)", "--yes")
        #expect(undone.joined().contains("scheduled timer 'tea' of 1"), "\(undone)")
        try await front.reads { $0.type == "resumed" }
        try await shows(front, [])
        let knows = try await front.calls("knows(_:)", #"["tea"]"#)
        #expect(knows.object["value"] as? Bool == true)
        let again = try await front.calls("retry()")
        #expect(again.object["value"] as? [String] == [key])
        try await shows(front, ["dead \(key) 3"])
        #expect(performed(place) == Array(repeating: "\(key) fails", count: 6))
    }
}

extension ControlFront {
    /// Sends an event to the agenda and reads until its reply.
    @discardableResult
    fileprivate func calls(_ method: String, _ args: String = "[]") async throws -> ControlLine {
        try await call("agenda.agenda", method, args)
    }
}
