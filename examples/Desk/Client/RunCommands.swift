// RunCommands: what lists runs, waits for them, and does something with them.

import DeskContract
import DeskFront
import NapkinClient

struct Ls: AppCommand {
    static let configuration = CommandConfiguration(
        abstract: "Lists the runs: those that run first, then the newest.")

    @Flag(help: "Only those that run or wait.")
    var active = false

    @OptionGroup var daemon: DaemonOptions

    @Argument(help: "Words that must be in a run's name, queue, group, command or last line.")
    var words: [String] = []

    func perform() async throws {
        let words = words.joined(separator: " ")
        let runs = try await daemon.desk { try await $0.runs(words) }
        for run in runs where !active || !run.hasEnded { say(run.plainLine) }
    }
}

extension Run {
    /// `3  running  12.5  web: npm start`, `4  waiting  0.0  after 3  make install`
    fileprivate var plainLine: String {
        let order = order
        let tenths = Int(seconds * 10)
        var parts = ["\(id)", state.rawValue, "\(tenths / 10).\(tenths % 10)"]
        parts += [order.queue.map { "queue \($0)" }, order.group.map { "group \($0)" }]
            .compactMap(\.self)
        if state == .waiting, next != nil || !order.after.isEmpty { parts.append(remark) }
        if failures > 0 { parts.append("failed \(failures) of \(order.retries + 1) times") }
        if let status { parts.append("exit \(status)") }
        parts.append(order.title)
        // Nothing else says why.
        if state == .failed, status == nil { parts.append("(not started: \(last))") }
        return parts.joined(separator: "  ")
    }
}

struct Wait: AppCommand {
    static let configuration = CommandConfiguration(
        abstract: "Waits until runs have ended; the status is that of the first that has failed.")

    @OptionGroup var daemon: DaemonOptions

    @Argument(help: "Numbers, names or groups.")
    var runs: [String]

    func perform() async throws {
        let status = try await daemon.desk(waits: true) { [runs] desk -> Int32 in
            var status: Int32 = 0
            let all = try await desk.runs("")
            let words = runs.flatMap { word in
                let group = all.filter { $0.order.group == word }.map(\.id).sorted()
                return group.isEmpty ? [word] : group.map { "\($0)" }
            }
            for word in words {
                let end = try await desk.end(of: word)
                if status == 0 { status = end.exitStatus }
            }
            return status
        }
        if status != 0 { throw ExitCode(status) }
    }
}

struct LogCommand: AppCommand {
    static let configuration = CommandConfiguration(
        commandName: "log", abstract: "Writes what a run has printed, as it printed it.")

    @Flag(name: .shortAndLong, help: "Go on until the run ends.")
    var follow = false

    @OptionGroup var daemon: DaemonOptions

    @Argument(help: "A number or a name.")
    var run: String

    func perform() async throws {
        let reader = OutputReader(run)
        try await daemon.desk(waits: true) { [follow] desk in
            while try await reader.copy(from: desk, waits: follow) {}
        }
    }
}

struct Search: AppCommand {
    static let configuration = CommandConfiguration(
        abstract: "Writes lines that have these words: RUN:LINE, the newest runs first.",
        discussion: """
            Looks through names, commands and what is kept of all output. A line has all of the \
            words; case does not matter. The status is 1 if there is none.
            """)

    @OptionGroup var daemon: DaemonOptions

    @Argument(help: "Words of a line.")
    var words: [String]

    func perform() async throws {
        let words = words.joined(separator: " ")
        let found = try await daemon.desk(waits: true) { try await $0.search(words) }
        for match in found.matches { say("\(match.run):\(match.line)") }
        if let rest = found.rest { complain(rest) }
        if found.matches.isEmpty { throw ExitCode(1) }
    }
}

/// What a command is told that does one thing with runs.
struct NamedRuns: ParsableArguments {
    @OptionGroup var daemon: DaemonOptions

    @Argument(help: "Numbers, names or groups.")
    var runs: [String]

    @MainActor
    func act(_ verb: Verb) async throws {
        _ = try await daemon.desk { [runs] in try await $0.act(verb, on: runs) }
    }
}

struct Kill: AppCommand {
    static let configuration = CommandConfiguration(
        abstract: "Ends runs: SIGTERM to all of a run's processes, and SIGKILL after 5 s.")
    @OptionGroup var named: NamedRuns
    func perform() async throws { try await named.act(.kill) }
}

struct Pause: AppCommand {
    static let configuration = CommandConfiguration(abstract: "Stops runs where they are.")
    @OptionGroup var named: NamedRuns
    func perform() async throws { try await named.act(.pause) }
}

struct Resume: AppCommand {
    static let configuration = CommandConfiguration(abstract: "Lets paused runs go on.")
    @OptionGroup var named: NamedRuns
    func perform() async throws { try await named.act(.resume) }
}

struct Again: AppCommand {
    static let configuration = CommandConfiguration(
        abstract: "Runs what has ended again, and what was skipped because of it.",
        aliases: ["retry"])
    @OptionGroup var named: NamedRuns
    func perform() async throws { try await named.act(.again) }
}

struct Rm: AppCommand {
    static let configuration = CommandConfiguration(
        abstract: "Forgets runs that have ended, and their output.")
    @OptionGroup var named: NamedRuns
    func perform() async throws { try await named.act(.remove) }
}

struct Queue: AppCommand {
    static let configuration = CommandConfiguration(
        abstract: "Says how many runs of a queue run at a time; 0 holds it.")

    @OptionGroup var daemon: DaemonOptions

    @Argument(help: "The queue.")
    var queue: String

    @Argument(help: "How many.")
    var width: Int

    func perform() async throws {
        try await daemon.desk { [queue, width] in try await $0.setWidth(width, of: queue) }
    }
}
