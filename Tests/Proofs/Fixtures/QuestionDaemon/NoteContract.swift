// NoteContract: a child that can be taken away while its question is open.

package import NapkinCore

/// Lies on the desk.
package enum Note: Feature {
    package static let id: FeatureID = "questions.note"
    package typealias Presenting = NotePresentableCrossing
    package typealias Listening = NotePresentableListenerCrossing
}

@Crossing @MainActor
package protocol NotePresentable: Presentable {
    func confirm(_ question: String) async throws -> Bool
}

@Crossing
package protocol NotePresentableListener: PresentableListener {
    /// Asks before it burns the note; the desk presents the outcome.
    func didTapBurn() async
}
