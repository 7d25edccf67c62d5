// KilnContract: a durable parent, and a child in a process that does what ends processes.

package import NapkinCore

package enum Kiln: Feature {
    package static let id: FeatureID = "kiln.kiln"
    package typealias Presenting = KilnPresentableCrossing
    package typealias Listening = KilnPresentableListenerCrossing
}

@Crossing @MainActor
package protocol KilnPresentable: Presentable {
    /// What the child has said, and its crashes; all of it is durable.
    func present(lines: [String]) async
    /// How many coins the hoard has told of.
    func present(total: Int64) async
}

@Crossing
package protocol KilnPresentableListener: PresentableListener {
    /// Attaches a child. One that is called `once` is given up when it crashes.
    func light(_ name: String) async
    func douse() async
    /// Attaches the durable child.
    func unearth() async
    /// Detaches the durable child's router, and attaches it again before its process has ended.
    func reseat() async throws
    /// Answers the child's `emberWaits()`.
    func release() async
}

package enum Ember: Feature {
    package static let id: FeatureID = "kiln.ember"
    package typealias Arguments = EmberArguments
    package typealias Presenting = EmberPresentableCrossing
    package typealias Listening = EmberPresentableListenerCrossing
}

@Message
package struct EmberArguments {
    package var name: String
}

@Crossing @MainActor
package protocol EmberPresentable: Presentable {
    func present(heat: Int64) async
    func present(process: Int32) async
    @Effect func spark(_ number: Int64) async
    @Append func ash(_ line: String) async
    func confirm(_ question: String) async throws -> Bool
}

@Crossing
package protocol EmberPresentableListener: PresentableListener {
    /// Presents, appends and flashes, tells the parent and returns how many lines that has.
    func heat(_ degrees: Int64) async throws -> Int64
    /// Asks the caller.
    func confirm(_ question: String) async throws -> Bool
    /// Tells the parent that it waits, and returns when that answers.
    func wait() async throws
    /// Tells the parent, and ends its process by a trap.
    func burst() async throws
    /// Uses so many MiB of memory, and waits.
    func burn(_ mebibytes: Int64) async throws
    /// Never gives its loop back.
    func smoulder() async throws
    /// Answers with bytes that are no number.
    func lie() async throws -> Int64
}

/// What the child tells its parent.
@Crossing
package protocol EmberListener: PresentableListener {
    /// Returns how many lines there are now.
    func emberDid(_ what: String) async throws -> Int64
    /// Adds a line, and returns when somebody releases the child.
    func emberWaits() async throws
    /// Detaches the child, waits until somebody releases it, and adds a line.
    func emberLeaves() async throws -> Int64
    /// Attaches another child.
    func emberWantsTwin() async throws
}
