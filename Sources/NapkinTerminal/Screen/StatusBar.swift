// StatusBar: the last lines of a screen: the keys, what is shown, and whether it is connected.
//
// Layer      terminal, screen.
// Isolation  value; the line of keys is composed on the @MainActor, as bindings are.

public import NapkinCore
public import NapkinElements
import NapkinProtocol

/// The state of the front's connection to its session.
public nonisolated enum ConnectionState: Equatable, Sendable {
    case connecting
    case connected
    /// Lost at a time of day, for a reason; the front tries to come back after so many seconds.
    case disconnected(since: String, reason: String, nextTry: Int = 0)

    /// The whole line, for people.
    public var text: String {
        switch self {
        case .connecting: "connecting"
        case .connected: "connected"
        case .disconnected(let since, let reason, 0):
            "disconnected since \(since), retrying (\(reason))"
        case .disconnected(let since, let reason, let seconds):
            "disconnected since \(since), next try in \(seconds) s (\(reason))"
        }
    }

    /// Returns the state, still disconnected, with a new reason if given; the next try is after so
    /// many seconds.
    func retrying(because reason: String? = nil, in seconds: Int = 0) -> ConnectionState {
        guard case .disconnected(let since, let former, _) = self else { return self }
        return .disconnected(since: since, reason: reason ?? former, nextTry: seconds)
    }
}

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
            app, "session \(session)", isReadOnly ? "read only" : nil, connection.text,
            fronts.map { $0 == 1 ? "1 front" : "\($0) fronts" }, saved,
            roundTrip.map(Self.text),
        ]
    }

    private var saved: String? {
        switch durability {
        case .machine: "saved"
        case .process: "saved, not over a power cut"
        case .none: nil
        }
    }

    private static func joined(_ parts: [String?]) -> String {
        parts.compactMap(\.self).joined(separator: " · ")
    }

    /// A duration in words: `0.4 ms`.
    private static func text(_ duration: Duration) -> String {
        let micros = duration / .microseconds(1)
        if micros < 1000 { return "\(Int(micros)) µs" }
        let tenths = Int(micros / 100)
        return tenths < 1000 ? "\(tenths / 10).\(tenths % 10) ms" : "\(tenths / 10) ms"
    }

    /// Returns as much as fits: the connection is left out last.
    private func fitting(_ width: Int) -> String {
        var parts = parts
        if durability == .process, CellWidth.cells(of: Self.joined(parts)) > width {
            parts[5] = "saved, not synced"
        }
        for index in [6, 5, 4, 0, 1] where CellWidth.cells(of: Self.joined(parts)) > width {
            parts[index] = nil
        }
        return Self.joined(parts)
    }

    /// The status line, filled up to `width`.
    public func line(width: Int) -> StyledLine {
        if let notice {
            return StyledLine(" \(notice)", .error).fitted(to: width).padded(to: width, .error)
        }
        if let words {
            return StyledLine(" \(words)", .bar).fitted(to: width).padded(to: width, .bar)
        }
        let role: TextRole = if case .disconnected = connection { .warning } else { .bar }
        return StyledLine(" \(fitting(width - 1))", role).fitted(to: width).padded(to: width, role)
    }

    /// Returns `[l] Login  [q] Quit`, as many as fit; the last one, which leaves, always stays.
    @MainActor
    public static func keys(_ keys: [KeyBinding], width: Int) -> StyledLine {
        guard let last = keys.last?.hint else { return StyledLine() }
        let gap = StyledLine("  ")
        var line = StyledLine()
        for hint in keys.dropLast().map(\.hint) {
            guard line.cells + hint.cells + gap.cells + last.cells <= width else { continue }
            line = line + hint + gap
        }
        return (line + last).fitted(to: width)
    }
}
