// DeskContract: the root feature, which asks, fails and waits when it is told to.

package import NapkinCore

/// Where questions are asked; a note can lie on it.
package enum Desk: Feature {
    package static let id: FeatureID = "questions.desk"
    package typealias Presenting = DeskPresentableCrossing
    package typealias Listening = DeskPresentableListenerCrossing
}

@Crossing @MainActor
package protocol DeskPresentable: Presentable {
    /// `yes`, `no`, or the code of the fault that a question ended with.
    func present(outcome: String) async
    /// How many handlers wait for `didTapRelease()`.
    func present(waiting: Int) async
    /// So long that a front that does not read becomes slow.
    func present(heap: String) async
    @Effect func ring(_ number: Int) async
    func confirm(_ question: String) async throws -> Bool
}

@Crossing
package protocol DeskPresentableListener: PresentableListener {
    /// Asks before it empties the desk; returns when the outcome has been presented.
    func didTapEmpty() async
    /// Always throws `DeskError.locked`.
    func didTapFail() async throws
    /// Returns after the next `didTapRelease()`.
    func didTapWait() async
    func didTapRelease() async
    /// Puts a note on the desk.
    func didTapWrite() async
    /// Takes the note away.
    func didTapTear() async
    /// Takes the note away and puts another one there, in one batch.
    func didTapReplace() async
    /// Presents another heap, and rings.
    func didTapPile() async
}

/// What `didTapFail()` throws.
enum DeskError: Error, CustomStringConvertible {
    case locked

    var description: String { "the drawer is locked" }
}
