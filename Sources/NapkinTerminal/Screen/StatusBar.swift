// StatusBar: the last lines of a screen: which keys there are, what is shown, is it connected.
//
// Layer      terminal, screen.
// Isolation  value; the line of keys is made on the @MainActor, as bindings are.

/// How the front stands to its session.
public nonisolated enum ConnectionState: Equatable, Sendable {
    case connecting
    case connected
    /// Lost at a time of day, for a reason; the front tries to come back.
    case disconnected(since: String, reason: String)

    /// For people.
    public var text: String {
        switch self {
        case .connecting: "connecting"
        case .connected: "connected"
        case .disconnected(let since, let reason):
            "disconnected since \(since), retrying (\(reason))"
        }
    }

    /// Still disconnected, for another reason.
    func retrying(because reason: String) -> ConnectionState {
        guard case .disconnected(let since, _) = self else { return self }
        return .disconnected(since: since, reason: reason)
    }
}

/// What the status line says.
public nonisolated struct StatusBar: Equatable, Sendable {
    public var app: String
    public var session: String
    public var isReadOnly: Bool
    public var connection = ConnectionState.connecting
    /// Something that went wrong a moment ago.
    public var notice: String?

    public init(app: String, session: String, isReadOnly: Bool = false) {
        self.app = app
        self.session = session
        self.isReadOnly = isReadOnly
    }

    /// `rib-house · session rib-house · connected`.
    public var text: String {
        let parts = [app, "session \(session)", isReadOnly ? "read only" : nil, connection.text]
        return parts.compactMap(\.self).joined(separator: " · ")
    }

    /// The status line, filled up to `width`.
    public func line(width: Int) -> StyledLine {
        if let notice {
            return StyledLine(" \(notice)", .error).fitted(to: width).padded(to: width, .error)
        }
        let role: TextRole = if case .disconnected = connection { .warning } else { .bar }
        return StyledLine(" \(text)", role).fitted(to: width).padded(to: width, role)
    }

    /// `[l] Login  [q] Quit`, as many as fit; the last one, which leads out, always stays.
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
