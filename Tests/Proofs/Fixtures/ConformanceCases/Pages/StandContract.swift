// StandContract: the root of a session under test: it opens pages and runs scenarios.

package import NapkinCore

/// The root.
package enum Stand: Feature {
    package static let id: FeatureID = "conformance.stand"
    package typealias Presenting = StandPresentableCrossing
    package typealias Listening = StandPresentableListenerCrossing
}

/// What the stand shows.
@Crossing @MainActor
package protocol StandPresentable: Presentable {
    func present(time: Int) async
}

/// The two places of the stand.
@Message
package enum Side: String, CaseIterable {
    case left
    case right
}

/// What a test asks of the stand.
@Crossing
package protocol StandPresentableListener: PresentableListener {
    /// Runs a scenario in the process of the interactors; returns what it wrote down.
    func run(_ scenario: String) async throws -> [String]
    /// Opens a page unless the side is taken.
    func open(_ name: String, at side: Side) async
    func close(_ side: Side) async
    /// Replaces the page of a side, as one transition.
    func swap(_ name: String, at side: Side) async
    /// Moves the clock by one; returns when every page has presented what it then counts.
    func tick() async
    /// Does nothing. Its reply comes after everything that was said to this front before.
    func sync() async
    /// Takes what pages have noted so far.
    func notes() async throws -> [String]
    /// Waits until `line` has been noted.
    func noted(_ line: String) async
    /// Waits until a session of this process has said `line` in the street.
    func heard(_ line: String) async
}
