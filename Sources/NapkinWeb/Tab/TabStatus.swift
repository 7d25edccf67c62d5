// TabStatus: whether a tab's front is connected, and what a person is told of it.

import NapkinCore
import NapkinElements

/// What the line above a page says.
struct TabStatus: Equatable, Sendable {
    var app: String
    var session: String
    var isReadOnly: Bool
    var hasInspector: Bool
    var lag: Lag?
    var connection = ConnectionState.connecting
    /// Fronts that are attached to the session, including this one; `nil` if it is not known.
    var fronts: Int?
    var wait: FrontWait?
    /// Why the front has ended.
    var ended: String?

    init(app: String, session: String, isReadOnly: Bool, hasInspector: Bool, lag: Lag?) {
        (self.app, self.session) = (app, session)
        (self.isReadOnly, self.hasInspector) = (isReadOnly, hasInspector)
        self.lag = lag
    }

    func state(titled title: String?) -> PageState {
        var (kind, words): (PageState.Kind, String)
        switch connection {
        case .connecting: (kind, words) = (.connecting, connection.text)
        case .connected: (kind, words) = (.connected, connection.text)
        case .disconnected: (kind, words) = (.lost, connection.text)
        }
        if let wait, kind == .connected { (kind, words) = (.waiting, wait.text(of: app)) }
        if let ended { (kind, words) = (.ended, "ended: \(ended)") }
        let parts = [
            app, "session \(session)", isReadOnly ? "read only" : nil, words,
            fronts.map { $0 == 1 ? "1 front" : "\($0) fronts" },
            lag?.text,
        ]
        return PageState(
            kind: kind, text: parts.compactMap(\.self).joined(separator: " · "),
            title: title.map { "\($0) · \(app)" } ?? app, hasInspector: hasInspector)
    }
}
