// BookContract: a durable list of amounts, and the ways in which an event may enter its own.

package import NapkinCore

package enum Book: Feature {
    package static let id: FeatureID = "book.root"
    package typealias Presenting = BookPresentableCrossing
    package typealias Listening = BookPresentableListenerCrossing
}

@Crossing @MainActor
package protocol BookPresentable: Presentable {
    /// Everything that was entered, in order; soon long enough to go as what has changed.
    func present(entries: [Int64]) async
    /// The amount was entered, or was about to be.
    @Effect func flash(_ amount: Int64) async
}

/// As the plans of a history, by their names.
@Crossing
package protocol BookPresentableListener: PresentableListener {
    /// Returns how many entries there are with this one, as the others do.
    func once(_ amount: Int64) async throws -> Int
    func twice(_ amount: Int64, pausing microseconds: Int) async throws -> Int
    func later(_ amount: Int64, pausing microseconds: Int) async throws -> Int
    func aside(_ amount: Int64) async throws
    func fails(_ amount: Int64) async throws
    func failsLater(_ amount: Int64, pausing microseconds: Int) async throws
    func turns(_ amount: Int64) async throws -> Int
    func reminds(_ amount: Int64, after milliseconds: Int64) async throws
    /// Returns the job's key.
    func posts(_ amount: Int64) async throws -> String
    func entries() async throws -> [Int64]
    /// How many handlers were interrupted since the session began.
    func interrupted() async throws -> Int
}

/// The child: a page of the book, with a state of its own.
package enum Page: Feature {
    package static let id: FeatureID = "book.page"
    package typealias Presenting = PagePresentableCrossing
    package typealias Listening = PagePresentableListenerCrossing

    /// What its view is made with.
    @Message
    package struct Arguments: Equatable {
        package var number: Int64
    }
}

@Crossing @MainActor
package protocol PagePresentable: Presentable {
    func present(marks: [Int64]) async
}

@Crossing
package protocol PagePresentableListener: PresentableListener {
    /// Enters the amount here and in the book; returns how many entries the book has.
    func marks(_ amount: Int64) async throws -> Int
    func marksFails(_ amount: Int64) async throws
}
