// TillContract: the root feature, which tells what its session was given.

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
    /// Ends the worker by a trap if the code is wrong.
    @Secret func unlock(code: String) async
    /// Holds the loop up.
    func hold(milliseconds: Int32) async
    /// Starts a program in the worker's own process group; returns at once.
    func leave(_ program: String, _ argument: String) async
    /// Fills so much memory and keeps it, with a pause after each part.
    func keep(megabytes: Int32, inParts parts: Int32, pausing milliseconds: Int32) async
    /// Opens files until there can be no other one, or until a thousand are open. Returns how many.
    func openFiles() async throws -> Int32
    /// Closes them.
    func closeFiles() async
    /// Uses so much processor time, and lets the loop go on now and then.
    func burn(milliseconds: Int32) async
}

/// What `jam()` throws.
struct TillJammed: Error, CustomStringConvertible {
    let description = "the drawer is stuck"
}
