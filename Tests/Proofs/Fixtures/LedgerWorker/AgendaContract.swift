// AgendaContract: timers and jobs that end well, badly or not at once.

package import NapkinCore

package enum Agenda: Feature {
    package static let id: FeatureID = "agenda.agenda"
    package typealias Presenting = AgendaPresentableCrossing
    package typealias Listening = AgendaPresentableListenerCrossing
}

@Crossing @MainActor
package protocol AgendaPresentable: Presentable {
    /// What has happened so far: `fired NAME TEXT`, `done KEY TEXT`, `dead KEY REASON`.
    func present(entries: [String]) async
}

@Crossing
package protocol AgendaPresentableListener: PresentableListener {
    /// Schedules a timer that fires once. What it does depends on the text.
    func remind(_ name: String, _ text: String, after milliseconds: Int64) async throws
    /// Schedules a timer that fires again and again, and makes up for as many as that.
    func remind(_ name: String, every milliseconds: Int64, missing: Int64) async throws
    /// Returns whether there is such a timer.
    func knows(_ name: String) async throws -> Bool
    /// Posts a job. What it does depends on the text. Returns its key.
    func order(_ text: String) async throws -> String
    /// Performs the jobs again that were given up; returns their keys.
    func retry() async throws -> [String]
    /// Adds many entries.
    func fill(_ entries: Int32) async
}
