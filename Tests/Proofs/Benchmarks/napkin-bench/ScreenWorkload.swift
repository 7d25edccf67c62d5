// ScreenWorkload: how soon a person sees something, and what looking costs.

import Glibc
import Histogram
import NapkinCore
import NapkinFront
import NapkinProtocol
import NapkinTransport

/// napkin-client on a pseudo-terminal, with Rib House on it.
@MainActor
struct ScreenWorkload {
    /// Starts of the client, of each kind.
    static let starts = 30
    /// The number of key presses.
    static let presses = 500
    /// Seconds of changing states, and changes of the screen in each: three of five are the pit's
    /// sections, the others the specials, which change at two thirds of that rate.
    static let seconds = 10
    static let changes = 60.0

    let processor: Int?
    private let napkind: String
    private let client: String
    /// Shows a list of 10,000 rows.
    private let rows: String

    init(processor: Int?) throws {
        self.processor = processor
        guard let directory = OwnProgram.directory else { throw BenchError("where am I?") }
        (napkind, client) = ("\(directory)/napkind", "\(directory)/rib-house")
        rows = "\(directory)/napkin-rows"
        let programs = [napkind, client, client + "-worker", rows]
        for program in programs where access(program, X_OK) != 0 {
            throw BenchError("there is no \(program); `make bench BENCH=screen` builds it")
        }
    }

    func reports() async throws -> [Report] {
        [
            try await firstPaint(), try await firstPaintOfAll(), try await keys(),
            try await changes(), try await scrolling(),
        ]
    }

    /// A daemon with Rib House, whose pit changes at that interval.
    private func withDaemon(
        tick: Double, _ body: (Daemon) async throws -> Report
    ) async throws -> Report {
        let daemon = try Daemon(
            .napkind(
                napkind, app: "rib-house", worker: client + "-worker",
                environment: ["NAPKIN_RIBHOUSE_TICK": "\(tick)"]))
        return try await daemon.run(body)
    }

    // MARK: - First paint

    /// Measures from the start of the client's process to its first screen, with a running worker.
    private func firstPaint() async throws -> Report {
        try await withDaemon(tick: 3600) { daemon in
            var histogram = Report.histogram()
            for start in 0...Self.starts {
                let time = try await paint(["--socket", daemon.socket], [:]) {}
                // The first one has the worker started.
                if start > 0 { histogram.record(time) }
            }
            var report = Report(workload: "screen first-paint", processor: processor)
            report.add("starts", Double(Self.starts))
            report.add(histogram)
            return report
        }
    }

    /// The same when neither runs, so that the client starts them.
    private func firstPaintOfAll() async throws -> Report {
        var histogram = Report.histogram()
        for _ in 0..<Self.starts {
            var template = Array("/tmp/napkin-bench.XXXXXX".utf8CString)
            guard let path = mkdtemp(&template) else { throw BenchError("cannot make a directory") }
            let directory = String(cString: path)
            defer { Directory.remove(directory) }
            let environment = [
                "XDG_RUNTIME_DIR": directory, "XDG_STATE_HOME": directory,
                "XDG_DATA_HOME": directory,
            ]
            mkdir(directory + "/napkin", 0o700)
            try Daemon.install(
                "rib-house", Daemon.manifest("rib-house", client + "-worker"),
                in: directory + "/napkin/apps")
            let time = try await paint([], environment) {
                try await end(directory + "/napkin/napkind.sock")
            }
            histogram.record(time)
        }
        var report = Report(workload: "screen first-paint-of-all", processor: processor)
        report.add("starts", Double(Self.starts))
        report.add(histogram)
        return report
    }

    /// Nanoseconds; `afterwards` is run before the client is left.
    private func paint(
        _ arguments: [String], _ environment: [String: String],
        _ afterwards: () async throws -> Void
    ) async throws -> UInt64 {
        let start = Placement.now()
        let terminal = try Terminal(
            client, ["attach", "rib-house"] + arguments, environment: environment)
        try await terminal.draws("Login")
        let time = Placement.now() - start
        try await afterwards()
        terminal.type("q")
        await terminal.ends()
        terminal.close()
        return time
    }

    /// Ends the daemon at a socket; returns when its connection has ended with it.
    private func end(_ socket: String) async throws {
        let connection = try await DaemonConnection.connect(
            to: DaemonAddress(socket: socket), client: "napkin-bench", role: .tool)
        kill(connection.welcome.pid, SIGTERM)
        while true {
            do throws(FrontError) {
                try await connection.ping()
            } catch {
                break
            }
        }
    }

    // MARK: - Keys

    /// From a key to what it brings about on the screen, in turn with the same events of a front
    /// that draws nothing.
    private func keys() async throws -> Report {
        try await withDaemon(tick: 3600) { daemon in
            let terminal = try Terminal(
                client, ["attach", "rib-house", "--socket", daemon.socket])
            try await terminal.draws("Login")
            let reference = ReferenceFront(daemon.socket)
            try await reference.shows("rib-house.logged-out")
            var pressed = Report.histogram()
            var bare = Report.histogram()
            for press in 0..<Self.presses {
                let (key, word, event, feature) =
                    press.isMultiple(of: 2)
                    ? ("l", "Smokey", "didTapLogin()", "rib-house.logged-in")
                    : ("o", "HOUSE", "didTapLogout()", "rib-house.logged-out")
                var start = Placement.now()
                terminal.type(key)
                try await terminal.draws(word)
                pressed.record(Placement.now() - start)
                start = Placement.now()
                try await reference.send(event)
                try await reference.shows(feature)
                bare.record(Placement.now() - start)
            }
            terminal.type("q")
            await terminal.ends()
            terminal.close()
            await reference.detach()
            var report = Report(workload: "screen keys", processor: processor)
            report.add("presses", Double(Self.presses))
            report.add(pressed, prefix: "key_")
            report.add(bare, prefix: "bare_")
            report.add(
                "beyond_p99_us",
                Double(pressed.valueAtPercentile(99)) / 1000
                    - Double(bare.valueAtPercentile(99)) / 1000)
            return report
        }
    }

    // MARK: - Changes

    /// Processor time of the client while the pit board changes all the time.
    private func changes() async throws -> Report {
        try await withDaemon(tick: 1 / (Self.changes * 3 / 5)) { daemon in
            let terminal = try Terminal(
                client, ["attach", "rib-house", "--socket", daemon.socket])
            try await terminal.draws("Login")
            terminal.type("l")
            try await terminal.draws("Smokey")
            terminal.type("p")
            try await terminal.draws("Pit Board")
            let (used, passed) = try await measured(terminal) { _ in
                try await Task.sleep(for: .seconds(Self.seconds))
            }
            var report = Report(workload: "screen changes", processor: processor)
            report.add("changes_per_second", Self.changes)
            report.add("seconds", passed / 1e9)
            report.add("core_percent", used / passed * 100)
            return report
        }
    }

    /// Returns the processor time of the program on a terminal and the time that passes during
    /// `body`, in nanoseconds; then the program is left.
    private func measured(
        _ terminal: Terminal, _ body: (_ start: UInt64) async throws -> Void
    ) async throws -> (used: Double, passed: Double) {
        let before = Placement.cpuNanoseconds(of: terminal.pid)
        let start = Placement.now()
        try await body(start)
        let used = Double(Placement.cpuNanoseconds(of: terminal.pid) - before)
        let passed = Double(Placement.now() - start)
        terminal.type("q")
        await terminal.ends()
        terminal.close()
        return (used, passed)
    }

    /// Processor time of a program that moves down a long list, row by row.
    private func scrolling() async throws -> Report {
        let terminal = try Terminal(rows, ["preview", "Rows"])
        try await terminal.draws("row number 0,")
        let count = Int(Self.changes) * Self.seconds
        let (used, passed) = try await measured(terminal) { start in
            for row in 1...count {
                terminal.type("\u{1B}OB")
                let next = start + UInt64(Double(row) / Self.changes * 1e9)
                let now = Placement.now()
                if next > now { try await Task.sleep(for: .nanoseconds(next - now)) }
            }
            // The last one that the keys have reached is in sight; only what differs is drawn.
            try await terminal.draws("\(count)")
        }
        var report = Report(workload: "screen scrolling", processor: processor)
        report.add("rows_per_second", Double(count) / passed * 1e9)
        report.add("core_percent", used / passed * 100)
        return report
    }
}

/// A front that draws nothing, on a session of its own.
@MainActor
private final class ReferenceFront: Surface {
    private let front: Front
    private var run: Task<Void, Never>?
    private var waiter: CheckedContinuation<Void, Never>?
    private var hasEnded = false

    init(_ socket: String) {
        front = Front(
            at: DaemonAddress(socket: socket),
            options: FrontOptions(app: "rib-house", session: "bare", client: "napkin-bench"),
            registry: ViewRegistry())
        front.surface = self
        run = Task {
            _ = await front.run()
            hasEnded = true
            changed()
        }
    }

    private func changed() {
        let waiter = waiter.take()
        Loop.keepingResumesOnLoop { waiter?.resume() }
    }

    /// Returns when the feature is mounted.
    func shows(_ feature: String) async throws {
        while front.tree.node(of: FeatureID(rawValue: feature)) == nil {
            if hasEnded { throw BenchError("the other front ended") }
            await withCheckedContinuation { waiter = $0 }
        }
    }

    func send(_ event: String) async throws {
        guard let node = front.tree.nodesInOrder.last else { throw BenchError("no node") }
        _ = try await front.send(to: node.id, MethodID(key: event)) { _ in }
    }

    func detach() async {
        front.detach()
        await run?.value
    }

    func front(_ front: Front, applied changes: [TreeChange]) { changed() }
}
