// Top: the command that shows how often each method is called and where its time goes.

import ArgumentParser
import NapkinFront
import NapkinProtocol
import NapkinTransport

struct Top: ClientCommand {
    static let configuration = CommandConfiguration(
        abstract: "Shows how often each method crosses, and where its time goes.",
        discussion: """
            One line for each method that has crossed in the last interval: its feature, its \
            delivery class (state, effect, event, ask), calls a second, how many failed, and for \
            events and asks how long they took.

            P50 and P99 cover the whole call as the front sees it; a * means that no front has \
            measured it, and that they cover the worker's part. The other columns are means. \
            FRONT: from the call until the event was about to be written, including the wait for \
            credit. QUEUE: from the turn of the worker's loop in which it was read until its \
            handler began. HANDLER: until it returned; for an ask, until the first answer. \
            REPLY: until the reply was about to be written. WIRE: the rest of the round trip: \
            both writes, the wake-ups, the front's reading. The percentiles come from buckets of \
            an eighth of a power of two: they are at most 1/16 off.

            On a terminal, without --count, this is the page of the dashboard with its keys: `s` \
            sorts, `/` filters. Elsewhere one table follows the other.

            Workers and fronts start measuring at the first query and stop 5 s after the last: \
            nothing is measured while nobody watches, and the first figures come after one \
            interval. If an app's worker does not answer, standard error says so, and the exit \
            status is 69.

              napkin-client top
              napkin-client top rib-house --interval 5
              napkin-client top --json --count 1 | jq '.crossings[] | select(.p99 > 1000)'
            """)

    /// The longest time between two queries: after a longer one, the worker stops measuring.
    static let keepAlive = 2.0

    @Argument(
        help: "A session's name, or an app's. Default: all sessions.", completion: .sessionsAndApps
    )
    var subject: String?

    @Option(help: ArgumentHelp("Seconds of an interval. Default: 2.", valueName: "seconds"))
    var interval = 2.0

    @Option(help: ArgumentHelp("Stop after this many intervals.", valueName: "number"))
    var count: Int?

    @Flag(help: "Print one JSON object for each interval.")
    var json = false

    @OptionGroup var daemon: DaemonOptions

    func validate() throws {
        guard interval >= 0.1, interval <= 3600 else {
            throw ValidationError("--interval takes seconds, 0.1 to 3600")
        }
        if let count, count < 1 { throw ValidationError("--count takes a number of at least 1") }
    }

    func perform() async throws(ClientFailure) -> Int32 {
        if !json, count == nil, TerminalFront.isPossible {
            return try await Attach.openDashboard(.calls, at: subject, every: interval, daemon)
        }
        let connection = try await daemon.connect()
        defer { connection.close() }
        let subjects = try await Subject.resolve(subject, daemon, connection)
        let live = try LiveText()
        var before = try await sample(subjects, connection)
        Self.say(Self.missing(subjects, before))
        var missing = Self.missing(subjects, before)
        var rounds = 0
        while rounds < count ?? .max {
            var left = interval
            var now = before
            while left > 0 {
                let pause = min(left, Self.keepAlive)
                await LoopTimer.wait(.milliseconds(pause * 1000))
                left -= pause
                now = try await sample(subjects, connection)
            }
            let absent = Self.missing(subjects, now)
            Self.say(absent.subtracting(missing))
            missing = absent
            show(TopTable(from: before, to: now), live)
            before = now
            rounds += 1
        }
        try live.finish()
        return missing.isEmpty ? 0 : ExitTable.unavailable
    }

    /// Returns the workers that have not answered.
    private static func missing(
        _ subjects: [Subject], _ figures: [Subject: Figures]
    ) -> Set<String> {
        Set(subjects.filter { figures[$0] == nil }.map(\.app))
    }

    private static func say(_ missing: Set<String>) {
        for app in missing.sorted() {
            let sentence = "the worker of \(app) does not answer; its figures are missing"
            ClientFailure.unavailable(sentence).report()
        }
    }

    @MainActor
    private func sample(
        _ subjects: [Subject], _ connection: DaemonConnection
    ) async throws(ClientFailure) -> [Subject: Figures] {
        try await subjects.figures { (query: Query) throws(ClientFailure) in
            do throws(FrontError) { return try await connection.query(query) } catch {
                throw ClientFailure(error)
            }
        }
    }

    @MainActor
    private func show(_ table: TopTable, _ live: LiveText) {
        guard json else { return live.show(table.lines(columns: TextTable.room)) }
        live.append(
            ControlLine("top").adding("milliseconds", Int(table.seconds * 1000))
                .adding("crossings", encoding: table.rows).adding("omitted", table.omitted)
                .printable)
    }
}
