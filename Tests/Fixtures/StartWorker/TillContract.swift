// TillContract: the root feature, which tells what its session was given.
//
// Layer      test executable.
// Isolation  none of its own; presentables are @MainActor.

package import NapkinCore

/// A till, which counts.
package enum Till: Feature {
    package static let id: FeatureID = "starts.till"
    package typealias Presenting = TillPresentableCrossing
    package typealias Listening = TillPresentableListenerCrossing
}

@Crossing @MainActor
package protocol TillPresentable: Presentable {
    /// The ids of the sessions that this worker has opened so far, the oldest first.
    func present(opened: [String]) async
    /// The session's name, its id, and its directories for data and for the cache.
    func present(session: [String]) async
    /// The values of the app's settings.
    func present(configured: [String]) async
    /// What the newest script has written.
    func present(lines: [String]) async
}

@Crossing
package protocol TillPresentableListener: PresentableListener {
    /// Returns how often it has been called in this session.
    func ring() async throws -> Int32
    /// Always throws.
    func jam() async throws
    /// Starts a shell's script; returns at once.
    func run(script: String) async
    /// Prints numbered lines, from one number to before another.
    func printLines(from first: Int32, to end: Int32) async
    /// Ends the worker by a trap.
    func trap(_ words: String) async
    /// Holds the loop up.
    func hold(milliseconds: Int32) async
    /// Starts a program in the worker's own process group; returns at once.
    func leave(_ program: String, _ argument: String) async
}

/// What `jam()` throws.
struct TillJammed: Error, CustomStringConvertible {
    let description = "the drawer is stuck"
}
