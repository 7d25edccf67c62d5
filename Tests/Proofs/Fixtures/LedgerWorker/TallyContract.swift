// TallyContract: a durable counter, with ways to change it that end well, badly or not at once.

package import NapkinCore

package enum Tally: Feature {
    package static let id: FeatureID = "tally.tally"
    package typealias Presenting = TallyPresentableCrossing
    package typealias Listening = TallyPresentableListenerCrossing
}

@Crossing @MainActor
package protocol TallyPresentable: Presentable {
    /// The sum of what was added, and how often.
    func present(sum: Int64, times: Int64) async
    /// What has been interrupted since the session began.
    func present(interrupted: [String]) async
    /// Asks whether to add so much.
    func confirm(_ amount: Int64) async throws -> Bool
}

@Crossing
package protocol TallyPresentableListener: PresentableListener {
    /// Returns the new sum.
    func add(_ amount: Int64) async throws -> Int64
    /// Adds, waits so long, and adds the same once more.
    func addTwice(_ amount: Int64, pausing milliseconds: Int32) async throws -> Int64
    /// Waits so long, and then adds.
    func addLater(_ amount: Int64, pausing milliseconds: Int32) async throws -> Int64
    /// Asks first, and then adds; throws after it has added, if `isSpoilt`.
    func addAsking(_ amount: Int64, isSpoilt: Bool) async throws -> Int64
    /// Returns the sum, and changes nothing.
    func read() async throws -> Int64
    /// Attaches a slip with this text, or detaches it.
    func lay(slip: String?) async
    /// Adds many entries to what is durable.
    func fill(_ entries: Int32) async
}

package enum Slip: Feature {
    package static let id: FeatureID = "tally.slip"
    package typealias Arguments = SlipArguments
    package typealias Presenting = SlipPresentableCrossing
    package typealias Listening = SlipPresentableListenerCrossing
}

@Message
package struct SlipArguments: Equatable {
    package var text: String
}

@Crossing @MainActor
package protocol SlipPresentable: Presentable {
    /// How often it was stamped.
    func present(stamps: Int32) async
}

@Crossing
package protocol SlipPresentableListener: PresentableListener {
    func stamp() async
    /// Stamps once more, and has itself detached.
    func tear() async
}
