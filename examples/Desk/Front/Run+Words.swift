// Run words: how a run looks in a line.

public import DeskContract
import FoundationEssentials
import NapkinElements

extension Run.State {
    /// A glyph that can be told from the others without its colour.
    fileprivate var sign: (glyph: String, role: TextRole) {
        switch self {
        case .waiting: ("·", .secondary)
        case .running: ("▸", .accent)
        case .paused: ("‖", .warning)
        case .ending: ("◂", .warning)
        case .succeeded: ("✓", .plain)
        case .failed: ("✗", .error)
        case .killed: ("⊘", .warning)
        case .skipped: ("↷", .secondary)
        case .lost: ("!", .warning)
        }
    }
}

extension Run {
    /// `✗   3    1:04  exit 2       make test`
    var line: Text {
        let (glyph, role) = state.sign
        let said = last.isEmpty || hasEnded && state != .failed ? "" : "  \(last)"
        return Text("\(glyph) \(Self.space(4, "\(id)"))\(id)").foregroundStyle(role)
            + Text("\(Self.space(9, duration))\(duration)").foregroundStyle(.secondary)
            + Text("  \(remark)\(Self.space(11, remark))").foregroundStyle(role)
            + Text("  \(title)") + Text(said).foregroundStyle(.secondary)
    }

    /// `▸ running · 4.2 s · attempt 2 · queue main · in /srv`
    var facts: Text {
        let (glyph, role) = state.sign
        let said = remark == state.rawValue ? "" : remark
        let reason = state == .failed && status == nil ? last : ""
        let facts = [
            state.rawValue, said, duration, attempt > 1 ? "attempt \(attempt)" : "",
            order.queue.map { "queue \($0)" } ?? "", order.group.map { "group \($0)" } ?? "",
            order.directory.map { "in \($0)" } ?? "",
            reason,
        ]
        return Text("\(glyph) ").foregroundStyle(role)
            + Text(facts.filter { !$0.isEmpty }.joined(separator: " · "))
    }

    /// What is to be done: its name, or the first line of its command.
    var title: String {
        order.title.split(separator: "\n", maxSplits: 1).first.map { String($0) } ?? ""
    }

    /// What is to be said beside the glyph: `exit 2`, `after 3`, `40 %`, `at 22:30`.
    public nonisolated var remark: String {
        switch state {
        case .waiting:
            if let next {
                (order.every == nil ? "at " : "next ") + Self.clock(next)
            } else if order.after.isEmpty {
                order.queue.map { "in \($0)" } ?? ""
            } else {
                "after " + order.after.map(String.init).joined(separator: ",")
            }
        case .running: progress.map { "\(Int($0 * 100)) %" } ?? ""
        case .failed: status.map { "exit \($0)" } ?? "not started"
        case .succeeded: ""
        case .paused, .ending, .killed, .skipped, .lost: state.rawValue
        }
    }

    /// `4.2 s`, `64:09`; nothing for one that has not run.
    private var duration: String {
        let whole = Int(seconds)
        if whole < 60 { return seconds > 0 ? "\(whole).\(Int(seconds * 10) % 10) s" : "" }
        return "\(whole / 60):\(whole % 60 < 10 ? "0" : "")\(whole % 60)"
    }

    /// `22:30`, or `7 Nov 22:30` on another day.
    private nonisolated static func clock(_ time: Double) -> String {
        let calendar = Calendar.current
        let date = Date(timeIntervalSince1970: time)
        let parts = calendar.dateComponents([.month, .day, .hour, .minute], from: date)
        let (hour, minute) = (parts.hour ?? 0, parts.minute ?? 0)
        let clock = "\(hour):\(minute < 10 ? "0" : "")\(minute)"
        guard !calendar.isDateInToday(date) else { return clock }
        return "\(parts.day ?? 0).\(parts.month ?? 0). \(clock)"
    }

    /// The spaces that fill up a text to a width.
    private static func space(_ width: Int, _ text: String) -> String {
        String(repeating: " ", count: max(0, width - text.count))
    }
}
