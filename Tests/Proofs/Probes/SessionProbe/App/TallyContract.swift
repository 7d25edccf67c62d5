// TallyContract: a feature that keeps what is applied, and shows it by every delivery class.

package import NapkinCore

/// The root: it applies numbers, and can be asked which.
package enum Tally: Feature {
    package static let id: FeatureID = "tally.root"
    package typealias Presenting = TallyPresentableCrossing
    package typealias Listening = TallyPresentableListenerCrossing
}

/// What an event has done besides being applied.
@Message
package enum Wish: String, CaseIterable {
    case nothing
    /// An effect with the event's place.
    case flash
    /// Another leaf in the place of the one that is there, as one batch.
    case swap
    /// A question, which the handler does not wait for.
    case ask
    /// The handler throws, when it has applied the event.
    case fail
}

/// One event.
@Message
package struct Note: Equatable {
    /// Who sends it; each writer counts for itself.
    package var writer: Int
    package var number: Int
    package var wish: Wish
}

/// What the interactor knows of itself.
@Message
package struct TallyReport: Equatable {
    package var pid: Int
    /// Events, of all writers.
    package var applied: Int
    package var asked: Int
    /// Questions with the right answer, with another one, and without any.
    package var right: Int
    package var wrong: Int
    package var unanswered: Int
}

@Crossing @MainActor
package protocol TallyPresentable: Presentable {
    /// How many events have been applied.
    func present(applied: Int) async
    func present(newest note: Note) async
    /// As `Board.lines`: large enough to go as what has changed.
    func present(board lines: [String]) async
    @Effect func flash(_ place: Int) async
    func choose(_ question: Int) async throws -> Int
}

@Crossing
package protocol TallyPresentableListener: PresentableListener {
    /// Applies an event; returns how many have been, with this one.
    func apply(_ note: Note) async throws -> Int
    /// The numbers of a writer's events in the order in which they were applied, from the
    /// `index`th on; at most `TallyInteractor.pageMax`.
    func applied(by writer: Int, from index: Int) async throws -> [Int]
    /// Does nothing. Its reply comes after everything that was said to this front before.
    func report() async throws -> TallyReport
    /// Asks the fronts, and returns what the first said.
    func vote(_ question: Int) async throws -> Int
}

/// A child with nothing but a number.
package enum Leaf: Feature {
    package static let id: FeatureID = "tally.leaf"
    package typealias Presenting = LeafPresentableCrossing

    /// What its view is made with.
    @Message
    package struct Arguments: Equatable {
        package var number: Int
    }
}

@Crossing @MainActor
package protocol LeafPresentable: Presentable {
    func present(title: String) async
}
