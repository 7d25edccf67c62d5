// Room: the contract of the features that these tests mount.

package import NapkinCore

/// What a room shows.
@Crossing @MainActor
package protocol RoomPresentable: Presentable {
    func tell(_ text: String) async
    func count(_ number: Int) async
    func show(_ picture: String) async
    @Effect func flash(_ text: String) async
    func confirm(_ question: String) async throws -> Bool
}

/// What a room's view says.
@Crossing
package protocol RoomPresentableListener: PresentableListener {
    func hear(_ number: Int) async
    func double(_ number: Int) async throws -> Int
    /// Does what the test has taught the room under that name.
    func act(_ name: String) async throws -> String
}

/// A feature like any other; rooms differ by their slots.
package enum Room: Feature {
    package static let id: FeatureID = "room"
    package typealias Presenting = RoomPresentableCrossing
    package typealias Listening = RoomPresentableListenerCrossing
}
