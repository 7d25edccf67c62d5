// Desk: the root, which everybody shares: what can be done with runs, and the questions.

public import NapkinCore

/// The root of the app.
public enum Desk: Feature {
    public static let id: FeatureID = "desk.desk"
    public typealias Presenting = DeskPresentableCrossing
    public typealias Listening = DeskPresentableListenerCrossing
}

/// What everybody sees, on every page.
@Crossing @MainActor
public protocol DeskPresentable: Presentable {
    /// How many runs run and wait.
    func present(running: Int, waiting: Int) async
    /// The open questions, then the newest that were answered.
    func present(questions: [Question]) async
    /// A run has ended, and not well.
    @Effect func announce(_ news: String) async
}

/// What can be done. A run is named by its number or its name, and its group by the group's name.
@Crossing
public protocol DeskPresentableListener: PresentableListener {
    /// Accepts a run, which is kept when this returns its number.
    func run(_ order: Order, environment: [String: String]) async throws(DeskError) -> Int
    /// Does it, and returns the numbers of the runs.
    func act(_ verb: Verb, on runs: [String]) async throws(DeskError) -> [Int]
    /// The runs in whose line there are these words.
    func runs(_ words: String) async throws(DeskError) -> [Run]
    /// Looks for lines with these words in names, commands and outputs, the newest runs first.
    func search(_ words: String) async throws(DeskError) -> Found
    /// Returns the run as soon as it has ended.
    func end(of run: String) async throws(DeskError) -> Run
    /// Returns what the run has printed from a place on. If there is nothing yet, waits for it, or
    /// returns an end.
    func output(
        of run: String, from place: Piece, waits: Bool
    ) async throws(DeskError) -> Piece
    /// Returns the screen of its terminal as text.
    func screen(of run: String) async throws(DeskError) -> String
    /// Types a text into a run, as it is; in a terminal, a line's end is the key Enter.
    func type(_ text: String, into run: String) async throws(DeskError)
    /// Returns the number of the run, the newest of that name.
    func number(of run: String) async throws(DeskError) -> Int
    /// Lets so many runs of a queue run at a time.
    func setWidth(_ width: Int, of queue: String) async throws(DeskError)
    /// Asks everybody; returns the question's number.
    func ask(_ question: Question) async throws(DeskError) -> Int
    /// Answers a question. The first answer counts.
    func answer(_ id: Int, _ choice: String) async throws(DeskError)
    /// Returns the question as soon as it has an answer, or its time is over.
    func answered(_ id: Int) async throws(DeskError) -> Question
    /// The questions so far, the oldest first.
    func questions() async throws(DeskError) -> [Question]
}
