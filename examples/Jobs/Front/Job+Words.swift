// Job words: how a job looks in a line.
//
// Layer      example, front.
// Isolation  @MainActor, as everything in this target unless it says otherwise.

import JobsContract
import NapkinTerminal

extension Job.State {
    /// A glyph that can be told from the others without its colour.
    var sign: (glyph: String, role: TextRole) {
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
        let remark = StyledLine("  \(remark)", role).padded(to: 13)
        return Text("\(glyph) \(Self.right("\(id)", 4))").foregroundStyle(role)
            + Text(Self.right(duration, 9)).foregroundStyle(.secondary) + Text(remark)
            + Text("  \(title)")
    }

    /// What is to be said beside the glyph: `exit 2`, `after 3`, `40 %`.
    var remark: String {
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
    var duration: String {
        let whole = Int(seconds)
        if whole < 60 { return seconds > 0 ? "\(whole).\(Int(seconds * 10) % 10) s" : "" }
        return "\(whole / 60):\(whole % 60 < 10 ? "0" : "")\(whole % 60)"
    }

    private static func right(_ text: String, _ width: Int) -> String {
        String(repeating: " ", count: max(0, width - text.count)) + text
    }
}
