// ConnectionState: the state of a front's connection to its session, in words.

/// The state of the front's connection to its session.
package nonisolated enum ConnectionState: Equatable, Sendable {
    case connecting
    case connected
    /// Lost at a time of day, for a reason; the front tries again after this many seconds.
    case disconnected(since: String, reason: String, nextTry: Int = 0)

    /// The whole line, for people.
    package var text: String { reason.map { "\(short) (\($0))" } ?? short }

    /// The same without the reason.
    package var short: String {
        switch self {
        case .connecting: "connecting"
        case .connected: "connected"
        case .disconnected(let since, _, 0): "disconnected since \(since), retrying"
        case .disconnected(let since, _, let seconds):
            "disconnected since \(since), next try in \(seconds) s"
        }
    }

    package var reason: String? {
        guard case .disconnected(_, let reason, _) = self else { return nil }
        return reason
    }

    /// Returns the state, still disconnected, with a new reason if given, and with the seconds
    /// until the next attempt.
    package func retrying(because reason: String? = nil, in seconds: Int = 0) -> ConnectionState {
        guard case .disconnected(let since, let former, _) = self else { return self }
        return .disconnected(since: since, reason: reason ?? former, nextTry: seconds)
    }
}
