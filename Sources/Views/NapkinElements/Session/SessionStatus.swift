// SessionStatus: the facts about a session in a screen's status line.

package import NapkinCore
internal import NapkinFront
package import NapkinProtocol
internal import NapkinTransport

package nonisolated struct SessionStatus: Equatable, Sendable {
    package var app: String
    package var session: String
    package var isReadOnly = false
    package var connection = ConnectionState.connecting
    /// The number of attached fronts, including this one; `nil` if unknown.
    package var fronts: Int?
    /// The durability of the session's states, whether or not the shown page has any of them.
    package var durability = Durability.none
    /// The time from the last event's sending to its reply.
    package var roundTrip: Duration?
    /// A wait that has become noticeable.
    package var wait: FrontWait?

    package init(app: String, session: String, isReadOnly: Bool = false) {
        (self.app, self.session, self.isReadOnly) = (app, session, isReadOnly)
    }

    init(of options: FrontOptions) {
        self.init(
            app: options.app, session: options.session ?? options.app,
            isReadOnly: options.isReadOnly)
    }

    /// Returns the durability that a session reports. An unknown value counts as the durability
    /// that survives the end of a process.
    package static func durability(of attached: Attached?) -> Durability {
        attached?.durability.map { Durability(rawValue: $0) ?? .process } ?? .none
    }

    /// Whether a wait is shown: a lost connection is the better explanation.
    package var isWaiting: Bool { wait != nil && connection == .connected }

    /// The state of the connection, which is always shown.
    package var state: String { isWaiting ? wait?.text(of: app) ?? "" : connection.text }

    /// Returns the parts for every screen: the app, the session, whether it is read-only, the
    /// state, the fronts.
    ///
    /// - Parameter state: shown in place of the connection's state.
    package func parts(saying state: String? = nil) -> [String?] {
        [
            app, "session \(session)", isReadOnly ? "read only" : nil, state ?? self.state,
            fronts.map { $0.counted("front") },
        ]
    }

    /// Returns the line: `rib-house · session rib-house · connected`.
    package static func line(_ parts: [String?]) -> String {
        parts.compactMap(\.self).joined(separator: " · ")
    }
}

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
