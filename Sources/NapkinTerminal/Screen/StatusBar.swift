// StatusBar: the last lines of a screen: the keys, what is shown, and whether it is connected.
//
// Isolation  value; the line of keys is composed on the @MainActor, as bindings are.

public import NapkinCore
public import NapkinElements
import NapkinProtocol

/// The content of the status line.
public nonisolated struct StatusBar: Equatable, Sendable {
    public var app: String
    public var session: String
    public var isReadOnly: Bool
    public var connection = ConnectionState.connecting
    /// Fronts that are attached to the session, including this one; `nil` if it is not known.
    public var fronts: Int?
    /// What the session's durable states survive. Which of them the shown page has is not said.
    public var durability = Durability.none
    /// The time from the last event's sending to its reply.
    public var roundTrip: Duration?
    /// What has been waited for, for longer than a moment.
    public var wait: FrontWait?
    /// A recent error or notice.
    public var notice: String?

    /// The text that replaces everything else if there is no session.
    private var words: String?

    /// Creates a status bar without a session.
    public init(saying words: String) {
        self.init(app: "", session: "")
        self.words = words
    }

    public init(app: String, session: String, isReadOnly: Bool = false) {
        self.app = app
        self.session = session
        self.isReadOnly = isReadOnly
    }

    /// Takes from what a session says of itself that it is kept. Whatever survives something else
    /// than we know survives the end of a process.
    nonisolated mutating func told(_ attached: Attached?) {
        durability = attached?.durability.map { Durability(rawValue: $0) ?? .process } ?? .none
    }

    /// The line's text: `rib-house · session rib-house · connected`.
    public var text: String { Self.joined(parts) }

    private var parts: [String?] {
        [
            app, "session \(session)", isReadOnly ? "read only" : nil, state,
            fronts.map { $0 == 1 ? "1 front" : "\($0) fronts" }, saved,
            isWaiting ? nil : roundTrip.map(Self.text),
        ]
    }

    /// A lost connection says more than what was waited for on it.
    private var isWaiting: Bool { wait != nil && connection == .connected }

    /// The state of the connection, which is always seen.
    private var state: String { isWaiting ? wait?.text(of: app) ?? "" : connection.text }

    /// Returns as much of the state as fits, and never half of a word.
    private func state(_ width: Int) -> String {
        let short: String
        let forms: [String]
        if isWaiting, let wait {
            short = wait.text(of: app)
            forms = [short, "waiting \(wait.seconds) s", "waiting"]
        } else {
            short = connection.short
            forms = [short, String(short.prefix { $0 != " " })]
        }
        // Chosen: less of a reason says nothing.
        let room = width - CellWidth.cells(of: short) - 3
        if !isWaiting, let reason = connection.reason, room >= 16 {
            return "\(short) (\(StyledLine(reason).fitted(to: room).text))"
        }
        return forms.first { CellWidth.cells(of: $0) <= width } ?? (isFine ? "●" : "○")
    }

    private var isFine: Bool { !isWaiting && connection == .connected }

    private var saved: String? {
        switch durability {
        case .machine: "saved"
        case .process: "saved, except on power loss"
        case .none: nil
        }
    }

    private static func joined(_ parts: [String?]) -> String {
        parts.compactMap(\.self).joined(separator: " · ")
    }

    /// A duration in words: `0.4 ms`, `12.9 s`.
    private static func text(_ duration: Duration) -> String {
        let (micros, millis, seconds) =
            (duration / .microseconds(1), duration / .milliseconds(1), duration / .seconds(1))
        func tenths(_ value: Double) -> String {
            let count = Int((value * 10).rounded())
            return "\(count / 10).\(count % 10)"
        }
        return switch micros {
        case ..<999.5: "\(Int(micros.rounded())) µs"
        case ..<99_950: "\(tenths(millis)) ms"
        case ..<999_500: "\(Int(millis.rounded())) ms"
        case ..<99_950_000: "\(tenths(seconds)) s"
        default: "\(Int(seconds.rounded())) s"
        }
    }

    /// Returns as much as fits: the state is left out last.
    private func fitting(_ width: Int) -> String {
        var parts = parts
        if durability == .process, CellWidth.cells(of: Self.joined(parts)) > width {
            parts[5] = "saved, not synced"
        }
        for index in [6, 5, 4, 0, 1] where CellWidth.cells(of: Self.joined(parts)) > width {
            parts[index] = nil
        }
        if CellWidth.cells(of: Self.joined(parts)) > width {
            parts[3] = state(width - (parts[2].map { CellWidth.cells(of: "\($0) · ") } ?? 0))
        }
        return Self.joined(parts)
    }

    /// Cells of a notice that has the state beside it. Chosen: fewer say nothing.
    private static let noticeCellsMin = 40

    /// The state, then the notice.
    private func noting(_ notice: String, _ width: Int) -> String {
        let state = words == nil ? state(max(1, width - Self.noticeCellsMin)) : nil
        return Self.joined([state, notice])
    }

    /// The status line, filled up to `width`.
    public func line(width: Int) -> StyledLine {
        let role: TextRole
        let text: String
        if let notice {
            (role, text) = (.error, noting(notice, width - 1))
        } else if let words {
            (role, text) = (.bar, words)
        } else {
            role = isFine || connection == .connecting || wait?.subject == .answer ? .bar : .warning
            text = fitting(width - 1)
        }
        return StyledLine(" \(text)", role).fitted(to: width).padded(to: width, role)
    }

    /// Returns `[l] Login  [q] Quit`, as many as fit; the last one, which leaves, always stays, and
    /// those that are no letters stay rather than those that are.
    ///
    /// - Parameters:
    ///   - keys: what may be pressed, in the order in which it is shown.
    ///   - width: columns of the line.
    ///   - takesText: whether letters are text now, and dim as keys.
    @MainActor
    public static func keys(
        _ keys: [KeyBinding], width: Int, takesText: Bool = false
    ) -> StyledLine {
        guard let last = keys.indices.last else { return StyledLine() }
        let gap = StyledLine("  ")
        let hints = keys.map { $0.hint(takesText && $0.key.isLetter ? .secondary : .key) }
        var room = width - hints[last].cells
        var shown = [last]
        for areLetters in [false, true] {
            for index in keys.indices.dropLast() where keys[index].key.isLetter == areLetters {
                let cells = hints[index].cells + gap.cells
                guard cells <= room else { continue }
                room -= cells
                shown.append(index)
            }
        }
        let line = shown.sorted().dropLast().reduce(StyledLine()) { $0 + hints[$1] + gap }
        return (line + hints[last]).fitted(to: width)
    }
}
