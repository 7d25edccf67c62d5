// Panel: the contract of the features that these tests mount.

package import NapkinCore

/// What a panel shows.
@Crossing @MainActor
package protocol PanelPresentable: Presentable {
    func tell(_ text: String) async
    func count(_ number: Int) async
    func show(_ picture: String) async
    @Effect func flash(_ text: String) async
    func confirm(_ question: String) async throws -> Bool
}

/// What a panel's view says.
@Crossing
package protocol PanelPresentableListener: PresentableListener {
    func hear(_ number: Int) async
    func double(_ number: Int) async throws -> Int
    /// Does what the test has taught the panel under that name.
    func act(_ name: String) async throws -> String
}

/// A feature like any other; panels differ by their slots.
package enum Panel: Feature {
    package static let id: FeatureID = "room"
    package typealias Presenting = PanelPresentableCrossing
    package typealias Listening = PanelPresentableListenerCrossing
}
