// TallyScreen: what one front has been shown, and whether it could have been shown so.
//
// Invariant  effects come in order, at most once, and after the states that came before them.

import NapkinCore
import NapkinFront
import NapkinTesting
import ProofSupport

/// The views of one front. A violation stays until somebody looks.
@MainActor
final class TallyScreen {
    /// How the front answers a question; it stays unanswered where this throws.
    typealias Answer = @MainActor (_ question: Int) async throws -> Int

    let registry = ViewRegistry()
    private let answer: Answer
    /// The newest, whether or not it is still shown.
    private(set) var listener: (any TallyPresentableListener)?
    fileprivate(set) var applied = 0
    fileprivate(set) var newest: Note?
    /// The place of the board that is shown.
    private(set) var board: Int?
    /// The number of the leaf that was mounted last.
    private(set) var leaf = -1
    private(set) var flashes = 0
    /// The places of those since somebody last emptied it; kept when it is asked for.
    var flashed: [Int] = []
    private let keepsFlashes: Bool
    private(set) var newestFlash = 0
    /// Questions, and how many of them had been there before.
    private(set) var questions = 0
    private(set) var questionsAgain = 0
    private var newestQuestion = 0
    /// The tree's, where it may change under the front.
    var epoch: () -> UInt32? = { nil }
    private var knownEpoch: UInt32?
    private(set) var violation: String?

    init(keepsFlashes: Bool = false, answer: @escaping Answer) {
        self.keepsFlashes = keepsFlashes
        self.answer = answer
        registry.register(Tally.self) { [unowned self] context in
            listener = context.listener
            // What is not presented again is not there any more.
            (applied, newest, board) = (0, nil, nil)
            if epoch() != knownEpoch { forget() }
            knownEpoch = epoch()
            return TallyView(screen: self)
        }
        registry.register(Leaf.self) { [unowned self] context in
            leaf = context.arguments.number
            return LeafView()
        }
    }

    /// The tree has been built anew: places begin anew.
    func forget() {
        newestFlash = 0
        newestQuestion = 0
    }

    fileprivate func present(board lines: [String]) {
        board = Board.place(of: lines)
        if board == nil { violate("a board that there never was: \(lines)") }
    }

    fileprivate func flash(_ place: Int) {
        flashes += 1
        if keepsFlashes { flashed.append(place) }
        if place <= newestFlash {
            violate("the effect of place \(place) came after that of \(newestFlash)")
        }
        if place > applied { violate("the effect of place \(place) came before its state") }
        newestFlash = place
    }

    fileprivate func choose(_ question: Int) async throws -> Int {
        questions += 1
        if question <= newestQuestion { questionsAgain += 1 }
        newestQuestion = max(newestQuestion, question)
        return try await answer(question)
    }

    func violate(_ what: String) { violation = violation ?? what }

    func check() throws {
        if let violation { throw Failure(violation) }
    }
}

@MainActor
private final class TallyView: TallyPresentable {
    private let screen: TallyScreen

    init(screen: TallyScreen) {
        self.screen = screen
    }

    func present(applied: Int) async { screen.applied = applied }
    func present(newest note: Note) async { screen.newest = note }
    func present(board lines: [String]) async { screen.present(board: lines) }
    func flash(_ place: Int) async { screen.flash(place) }
    func choose(_ question: Int) async throws -> Int { try await screen.choose(question) }
}

@MainActor
private final class LeafView: LeafPresentable {
    func present(title: String) async {}
}

extension TestFront {
    /// Everything that is shown, as text: two fronts compare equal. Values as their bytes.
    var shown: String {
        front.tree.nodesInOrder.map { node in
            let states = node.states.sorted { $0.method.rawValue < $1.method.rawValue }
                .map { " \($0.method.rawValue)=\($0.payload.bytes)" }
            return "\(node.id) in \(node.parent) \(node.slot) \(node.presentation) "
                + "\(node.feature) \(node.arguments.bytes)\(states.joined())"
        }.joined(separator: "\n")
    }

    /// Throws when a batch that the front has applied since the last look was half a swap.
    func checkBatches() throws {
        for line in journal.take() where line.contains("leaf") && !line.contains("+ root") {
            let parts = line.split(separator: ";")
            try Failure.unless(
                parts.count == 2 && line.contains("- leaf") && line.contains("+ leaf"),
                "half a transition was shown: \(line)")
        }
    }
}
