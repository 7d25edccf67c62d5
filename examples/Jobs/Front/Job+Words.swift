// Job words: how a job looks in a line.

import JobsContract
import NapkinElements

extension Job.State {
    /// A glyph that can be told from the others without its colour.
    fileprivate var sign: (glyph: String, role: TextRole) {
        switch self {
        case .queued: ("·", .secondary)
        case .running: ("▸", .accent)
        case .succeeded: ("✓", .plain)
        case .failed: ("✗", .error)
        case .cancelled: ("⊘", .warning)
        case .skipped: ("↷", .secondary)
        case .interrupted: ("!", .warning)
        }
    }
}

extension Job {
    /// `✗   3    1:04  exit 2       make test`
    var line: Text {
        let (glyph, role) = state.sign
        let title = order.command.split(separator: "\n", maxSplits: 1).first ?? ""
        return Text("\(glyph) \(Self.space(4, "\(id)"))\(id)").foregroundStyle(role)
            + Text("\(Self.space(9, duration))\(duration)").foregroundStyle(.secondary)
            + Text("  \(remark)\(Self.space(11, remark))").foregroundStyle(role)
            + Text("  \(title)")
    }

    /// `▸ running · 4.2 s · queue main in /srv`
    var facts: Text {
        let (glyph, role) = state.sign
        let place = "queue \(order.queue)" + (order.directory.map { " in \($0)" } ?? "")
        let facts = [state.rawValue, duration, place].filter { !$0.isEmpty }
        return Text("\(glyph) ").foregroundStyle(role) + Text(facts.joined(separator: " · "))
    }

    /// What is to be said beside the glyph: `exit 2`, `after 3`, `40 %`.
    private var remark: String {
        switch state {
        case .queued where !order.after.isEmpty:
            "after " + order.after.map(String.init).joined(separator: ",")
        case .running: progress.map { "\(Int($0 * 100)) %" } ?? ""
        case .failed: status.map { "exit \($0)" } ?? "not started"
        case .queued, .succeeded: ""
        case .cancelled, .skipped, .interrupted: state.rawValue
        }
    }

    /// `4.2 s`, `64:09`; nothing for one that has not run.
    private var duration: String {
        let whole = Int(seconds)
        if whole < 60 { return seconds > 0 ? "\(whole).\(Int(seconds * 10) % 10) s" : "" }
        return "\(whole / 60):\(whole % 60 < 10 ? "0" : "")\(whole % 60)"
    }

    /// The spaces that fill up a text to a width.
    private static func space(_ width: Int, _ text: String) -> String {
        String(repeating: " ", count: max(0, width - text.count))
    }
}
