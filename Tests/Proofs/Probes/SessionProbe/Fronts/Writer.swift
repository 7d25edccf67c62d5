// Writer: sends events with consecutive numbers, many at a time, and keeps how each ended.
//
// Invariant  a number is used once; each call ends once, or the writer never finishes.

import NapkinCore
import NapkinTesting
import ProofSupport

/// One front's events.
@MainActor
final class Writer {
    /// How a call ended. Nothing else may come of one.
    enum Outcome: String, CaseIterable {
        case value, failed, notExecuted, unknown
    }

    let name: Int
    private let front: TestFront
    private let screen: TallyScreen
    private var random: Randomness
    private var number = 0
    private var isOver = false
    private var callers: [Task<Void, Never>] = []
    /// Of each number, in order: number 1 is the first. `nil` while the call is under way.
    private(set) var outcomes: [Outcome?] = []
    private(set) var newestPlace = 0
    /// Told when a call has ended, and how.
    var progressed: (_ number: Int, Outcome) -> Void = { _, _ in }
    /// Between a call's end and the same caller's next, so that others get their turn.
    private let pause: Duration?

    init(
        _ name: Int, on front: TestFront, _ screen: TallyScreen, seed: UInt64,
        pause: Duration? = nil
    ) {
        self.pause = pause
        self.name = name
        self.front = front
        self.screen = screen
        random = Randomness(seed: seed)
    }

    /// Begins to send, as many events at a time.
    func start(callers count: Int) {
        callers = (0..<count).map { _ in Task { await send() } }
    }

    /// Sends no more; returns when every call has ended.
    func finish() async {
        isOver = true
        for caller in callers { await caller.value }
    }

    var counts: [Outcome: Int] {
        outcomes.reduce(into: [:]) { counts, outcome in
            if let outcome { counts[outcome, default: 0] += 1 }
        }
    }

    private func send() async {
        while !isOver, screen.violation == nil {
            let shown = front.attachments
            guard let listener = screen.listener else { return screen.violate("no view to send") }
            number += 1
            outcomes.append(nil)
            let note = Note(writer: name, number: number, wish: wish())
            let outcome = await end(of: note, listener)
            outcomes[note.number - 1] = outcome
            progressed(note.number, outcome)
            // Nobody cancels it.
            if let pause { try? await Task.sleep(for: pause) }
            // Until the next screen nothing can be sent.
            if outcome == .notExecuted, !isOver { await front.shows(moreThan: shown) }
        }
    }

    private func wish() -> Wish {
        switch random.below(100) {
        case 0..<60: .nothing
        case 60..<80: .flash
        case 80..<87: .swap
        case 87..<93: .ask
        default: .fail
        }
    }

    private func end(of note: Note, _ listener: any TallyPresentableListener) async -> Outcome {
        do {
            let place = try await listener.apply(note)
            if note.wish == .fail { screen.violate("\(note) was to fail and did not") }
            if screen.applied < place {
                screen.violate("the reply of place \(place) came before its state")
            }
            newestPlace = max(newestPlace, place)
            return .value
        } catch let fault as RemoteFault {
            switch fault.code {
            case .failed where note.wish == .fail: return .failed
            case .notExecuted: return .notExecuted
            case .unknown: return .unknown
            default: screen.violate("\(note) ended with \(fault)")
            }
        } catch {
            screen.violate("\(note) ended with \(error)")
        }
        return .failed
    }

    /// Holds the worker's journal of this writer against the outcomes of its calls.
    ///
    /// - Parameter mayDoubt: whether calls may have ended as `unknown`.
    func check(_ journal: [Int], mayDoubt: Bool) throws {
        var applied = Set<Int>()
        var last = 0
        for number in journal {
            try Failure.unless(applied.insert(number).inserted, "\(number) was applied twice")
            try Failure.unless(number > last, "\(number) was applied after \(last)")
            last = number
        }
        for (index, outcome) in outcomes.enumerated() {
            let (number, isApplied) = (index + 1, applied.contains(index + 1))
            switch outcome {
            case .value, .failed: try Failure.unless(isApplied, "event \(number) was lost")
            case .notExecuted:
                try Failure.unless(!isApplied, "event \(number) was applied, not `notExecuted`")
            case .unknown: try Failure.unless(mayDoubt, "event \(number) ended as `unknown`")
            case nil: throw Failure("event \(number) has not ended")
            }
        }
    }
}

extension TallyPresentableListener {
    /// All of a writer's numbers from the `start`th on, in the order in which they were applied.
    func journal(of writer: Int, from start: Int = 0) async throws -> [Int] {
        var numbers: [Int] = []
        while true {
            let page = try await applied(by: writer, from: start + numbers.count)
            if page.isEmpty { return numbers }
            numbers += page
        }
    }
}
