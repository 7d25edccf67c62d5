// PageContract: a feature that can do everything a crossing can.

package import NapkinCore

/// A page: the child of the stand, or of another page.
package enum Page: Feature {
    package static let id: FeatureID = "conformance.page"
    package typealias Presenting = PagePresentableCrossing
    package typealias Listening = PagePresentableListenerCrossing

    /// What its view is made with.
    @Message
    package struct Arguments: Hashable {
        package var name: String
    }
}

/// What a page refuses.
@Message
package enum PageError: CrossingError, Equatable {
    case unlucky(Int)
    case fault(RemoteFault)
}

/// What a page shows.
@Crossing @MainActor
package protocol PagePresentable: Presentable {
    func present(title: String) async
    func present(count: Int) async
    @Effect func flash(_ number: Int) async
    @Append(items: 1500) func say(_ line: String) async
    func confirm(_ question: String) async throws -> Bool
}

/// What a page's view says.
@Crossing
package protocol PagePresentableListener: PresentableListener {
    func show(title: String) async
    /// Presents every count from 1 to `number`, one after the other.
    func count(to number: Int) async
    /// As above, when no front is attached any more; says in the street when it has done so.
    func countAlone(to number: Int) async
    /// Presents the effects 1 to `count`.
    func flash(_ count: Int) async
    /// Presents a title, then an effect.
    func flashAfter(title: String) async
    /// Appends `count` lines to the log, `text 1` and so on, counted over all calls.
    func say(_ count: Int, text: String) async
    /// The same, and the log begins anew with the first of them.
    func sayAnew(_ count: Int, text: String) async
    /// Appends a line, presents its number and flashes it, `count` times.
    func tell(_ count: Int, text: String) async
    /// Keeps the number, in the order in which the handlers began.
    func add(_ number: Int) async
    func added() async throws -> [Int]
    /// Asks, and returns `yes`, `no`, or the code of the fault.
    func ask(_ question: String) async throws -> String
    /// Asks for so long, and returns also which front has answered.
    func ask(_ question: String, within milliseconds: Int) async throws -> String
    /// Waits until it is cancelled, and throws that.
    func hang() async throws
    /// Tells the parent, which calls `bounce(times:)` of this page, and so on; returns how often.
    func bounce(times: Int) async throws -> Int
    /// Returns the half of an even number, and refuses an odd one; asks about 0.
    func halve(_ number: Int) async throws(PageError) -> Int
    func openChild(_ name: String) async
    /// Attaches a page for each front, named `own` and the front's number, from now on.
    func openOwn() async
    /// Returns the number of the front that asks; 0 where the task knows none.
    func whoAsks() async throws -> [Int]
    /// As `ask(_:)` and `flash(_:)`, of the front alone that wants it.
    func askBack(_ question: String) async throws -> String
    func flashBack(_ number: Int) async
    func closeChild() async
    /// Has the parent close it.
    func close() async
    /// Has the parent close it, and returns what it then says.
    func leave() async throws -> String
}
