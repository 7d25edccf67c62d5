// SessionStatus: what a screen's line of status says of its session.

package import NapkinCore
internal import NapkinFront
package import NapkinProtocol

/// The facts of a line of status.
package nonisolated struct SessionStatus: Equatable, Sendable {
    package var app: String
    package var session: String
    package var isReadOnly = false
    package var connection = ConnectionState.connecting
    /// Fronts that are attached to the session, including this one; `nil` if it is not known.
    package var fronts: Int?
    /// What the session's durable states survive. Which of them the shown page has is not said.
    package var durability = Durability.none
    /// The time from the last event's sending to its reply.
    package var roundTrip: Duration?
    /// What has been waited for, for longer than a moment.
    package var wait: FrontWait?

    package init(app: String, session: String, isReadOnly: Bool = false) {
        (self.app, self.session, self.isReadOnly) = (app, session, isReadOnly)
    }

    init(of options: FrontOptions) {
        self.init(
            app: options.app, session: options.session ?? options.app,
            isReadOnly: options.isReadOnly)
    }

    /// Returns what a session says of itself that it survives. Whatever survives something else
    /// than we know survives the end of a process.
    package static func durability(of attached: Attached?) -> Durability {
        attached?.durability.map { Durability(rawValue: $0) ?? .process } ?? .none
    }

    /// A lost connection says more than what was waited for on it.
    package var isWaiting: Bool { wait != nil && connection == .connected }

    /// The state of the connection, which is always seen.
    package var state: String { isWaiting ? wait?.text(of: app) ?? "" : connection.text }

    /// Returns what every screen says: the app, the session, whether it is read-only, the state,
    /// the fronts.
    ///
    /// - Parameter state: said in place of the connection's state.
    package func parts(saying state: String? = nil) -> [String?] {
        [
            app, "session \(session)", isReadOnly ? "read only" : nil, state ?? self.state,
            fronts.map { $0 == 1 ? "1 front" : "\($0) fronts" },
        ]
    }

    /// Returns the line: `rib-house · session rib-house · connected`.
    package static func line(_ parts: [String?]) -> String {
        parts.compactMap(\.self).joined(separator: " · ")
    }
}
