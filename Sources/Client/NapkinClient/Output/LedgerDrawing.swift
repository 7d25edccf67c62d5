// LedgerDrawing: stored sessions and records as lines.

import NapkinCoding
import NapkinProtocol
import NapkinTransport

enum LedgerDrawing {
    /// The message when nothing is stored.
    static let none =
        "Nothing is stored: only sessions with durable interactors are (`@Durable`); "
        + "`napkin-client attach APP` opens one."

    static func lines(of session: LedgerSession) -> [String] {
        [head(of: session)] + nodes(of: session) + agenda(of: session)
            + records(of: session)
    }

    static func head(of session: LedgerSession) -> String {
        let entry = session.entry
        return "\(entry.session)  \(entry.app)  worker \(entry.worker)  epoch \(session.epoch)  "
            + "\(Quantity.bytes(entry.bytes))  record \(entry.record)  survives \(entry.level)  "
            + entry.state
    }

    /// Returns lines for the answers kept for fronts, the timers and the jobs.
    static func agenda(of session: LedgerSession) -> [String] {
        session.fronts.map(line) + (session.timers ?? []).map(line)
            + (session.jobs ?? []).map(line)
    }

    /// Returns a table of the changes that each method has recorded.
    static func lines(of counts: [LedgerCount]?) -> [String] {
        guard let counts else { return ["  nothing is stored of it"] }
        var table = TextTable("LEDGER", "METHOD", "RECORDS", "BYTES", "BEGUN")
        for count in counts {
            table.add(
                count.feature, count.method, "\(count.records)",
                Quantity.bytes(Int(clamping: count.bytes)), "\(count.begun)")
        }
        return table.lines.map { "  " + $0 }
    }

    private static func nodes(of session: LedgerSession) -> [String] {
        outline(of: session, indent: 1) { node, space in
            var lines = [space + name(of: node)]
            if !node.arguments.isEmpty { lines.append("\(space)  with \(text(node.arguments))") }
            if let state = node.state { lines.append("\(space)  state \(text(state))") }
            return lines
        }
    }

    /// Returns every node's lines, parents first; `lines` gets a node and its indentation.
    static func outline<Line>(
        of session: LedgerSession, below parent: UInt32 = 0, indent: Int,
        _ lines: (LedgerSession.Node, String) -> [Line]
    ) -> [Line] {
        // Bounds the recursion; no app's tree is this deep.
        guard indent < 256 else { return [] }
        return session.nodes.filter { $0.parent == parent }.flatMap { node in
            lines(node, String(repeating: "  ", count: indent))
                + outline(of: session, below: node.number, indent: indent + 1, lines)
        }
    }

    static func name(of node: LedgerSession.Node) -> String {
        let slot = node.slot.isEmpty ? "" : "\(node.slot): "
        let page = node.front.map { ", page of front \($0)" } ?? ""
        let kept = node.isMissing == true ? ", kept and not attached by the app" : ""
        return "\(slot)\(node.feature) (\(node.number)\(page)\(kept))"
    }

    /// Returns an encoded value as JSON, or in diagnostic notation if JSON cannot express it.
    static func text(_ bytes: [UInt8]) -> String {
        do throws(CBORError) {
            return String(decoding: try CBORToJSON.transcode(bytes), as: UTF8.self)
        } catch {
            return CBORDiagnostic.describe(bytes)
        }
    }

    private static func line(of front: LedgerSession.Front) -> String {
        let begun = front.begun.map { "\($0)" }.joined(separator: ", ")
        return "  front \(front.front): newest event \(front.started), \(front.answers) answers "
            + "kept (\(Quantity.bytes(front.answerBytes)))"
            + (begun.isEmpty ? "" : ", begun and not ended: \(begun)")
            + (front.traceparent.map { ", in \($0)" } ?? "")
    }

    private static func line(of timer: LedgerSession.Timer) -> String {
        let interval = timer.interval.map { ", every \($0) ms" } ?? ""
        return "  timer '\(timer.name)' of \(timer.node): "
            + state(timer.due, timer.attempts, timer.failure, "fires") + interval
    }

    private static func line(of job: LedgerSession.Job) -> String {
        "  job \(job.key) of \(job.node): " + state(job.due, job.attempts, job.failure, "tried")
    }

    /// Returns the time when something is due, or the reason why it was given up.
    private static func state(
        _ due: Int64, _ attempts: Int, _ failure: String?, _ what: String
    ) -> String {
        let count = attempts.counted("attempt")
        if let failure { return "given up after \(count): \(failure)" }
        return "\(what) at \(time(due))" + (attempts == 0 ? "" : ", after \(count)")
    }

    /// Returns a time in milliseconds since 1970 as `2026-03-01T09:30:00Z`.
    private static func time(_ milliseconds: Int64) -> String {
        Quantity.time(Int(milliseconds / 1000), "%Y-%m-%dT%H:%M:%SZ", isUTC: true)
    }

    private static func records(of session: LedgerSession) -> [String] {
        guard !session.records.isEmpty else {
            return ["  no record after \(session.oldest): there is nothing to rewind"]
        }
        return ["  records after \(session.oldest), to which it can be rewound:"]
            + lines(of: session.records)
    }

    private static func lines(of records: [LedgerRecord]) -> [String] {
        records.map { record in
            "    \(record.record)  \(Quantity.bytes(record.bytes))  "
                + record.changes.joined(separator: "; ")
        }
    }

    static func lines(of report: LedgerReport) -> [String] {
        [
            "\(report.worker): \(report.sessions) sessions, \(report.groups) groups, "
                + "\(report.records) records, \(Quantity.bytes(report.bytes)): "
                + (report.problems.isEmpty ? "good" : "\(report.problems.count) problems")
        ] + report.problems.map { "  \($0)" }
    }

    static func lines(of rewind: LedgerRewind) -> [String] {
        let records = rewind.count.counted("record")
        let fronts = rewind.fronts.counted("front")
        let head =
            rewind.isDone
            ? "session \(rewind.session) is as of record \(rewind.record): \(records) undone; "
                + "\(fronts) told"
            : "session \(rewind.session) back to record \(rewind.record) undoes \(records), with "
                + "\(fronts) attached; this cannot be undone, but `napkin-client ledger export "
                + "\(rewind.session)` keeps the session as it is:"
        let rest = rewind.count - rewind.undone.count
        return [head] + (rest > 0 ? ["    \(rest) older ones"] : []) + lines(of: rewind.undone)
    }
}

extension LedgerEntry {
    /// Whether the session is in memory, and the receipt after which it was rolled back.
    var state: String {
        (isRunning ? "running" : "stored")
            + (takenBack.map { ", taken back (receipt \($0))" } ?? "")
    }
}
