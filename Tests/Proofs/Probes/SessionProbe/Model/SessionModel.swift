// SessionModel: what a session shows and how its events end, in plain Swift.
//
// Spec       Protocol/SPEC.md, sections 7 (Delivery classes) and 9 (Resume)

/// One session as it must be. Fronts are known by their places, 0 to 2.
struct SessionModel {
    /// What a front that is here shows.
    struct Screen: Equatable {
        var applied = 0
        var newest: Note?
        var board = 0
        var leaf = 0
    }

    /// How a call must end.
    enum Outcome: Equatable {
        case value(Int)
        case failed, notExecuted, refused, gone
    }

    enum Presence { case absent, here, away, left }

    struct Front {
        var presence = Presence.absent
        var isReadOnly = false
        /// The newest that it has been shown.
        var screen = Screen()
        /// Places of the effects that it has been shown.
        var flashes: [Int] = []
    }

    /// The front in this place answers questions; any other leaves them open.
    static let answering = 0

    private(set) var screen = Screen()
    private(set) var journal: [Int: [Int]] = [:]
    var fronts = [Front](repeating: Front(), count: 3)
    private(set) var asked = 0
    private(set) var right = 0
    private(set) var unanswered = 0
    /// The places that each open question waits for: fronts that were asked, here or away.
    private var open: [Set<Int>] = []

    // MARK: - Fronts

    mutating func attached(_ place: Int, isReadOnly: Bool) {
        fronts[place] = Front(presence: .here, isReadOnly: isReadOnly, screen: screen)
        questionsReach(place)
    }

    mutating func lost(_ place: Int) {
        fronts[place].presence = .away
    }

    mutating func returned(_ place: Int) {
        fronts[place].presence = .here
        fronts[place].screen = screen
        questionsReach(place)
    }

    mutating func detached(_ place: Int) {
        fronts[place].presence = .left
        questionsLeave(place)
    }

    /// The tree is built anew from its arguments; those who were here are here again.
    mutating func killed() {
        screen = Screen()
        journal = [:]
        (asked, right, unanswered, open) = (0, 0, 0, [])
        show()
    }

    private mutating func show() {
        for place in fronts.indices where fronts[place].presence == .here {
            fronts[place].screen = screen
        }
    }

    // MARK: - Events

    /// A front calls.
    mutating func sent(_ note: Note, from place: Int) -> Outcome {
        switch fronts[place].presence {
        case .absent, .left: return .gone
        case .away: return .notExecuted
        case .here: return fronts[place].isReadOnly ? .refused : applied(note)
        }
    }

    /// The interactor applies an event: a front's, or one of its own.
    mutating func applied(_ note: Note) -> Outcome {
        journal[note.writer, default: []].append(note.number)
        screen.applied += 1
        screen.newest = note
        screen.board = screen.applied
        if note.wish == .swap { screen.leaf += 1 }
        show()
        switch note.wish {
        case .flash:
            for place in fronts.indices where fronts[place].presence == .here {
                fronts[place].flashes.append(screen.applied)
            }
        case .ask: ask()
        case .fail: return .failed
        case .nothing, .swap: break
        }
        return .value(screen.applied)
    }

    // MARK: - Questions

    /// The front in this place is here, and is asked what is open; the answering one answers.
    private mutating func questionsReach(_ place: Int) {
        guard !fronts[place].isReadOnly else { return }
        if place == Self.answering {
            right += open.count
            open = []
        }
        for index in open.indices { open[index].insert(place) }
    }

    /// The front has left for good. A question ends when none is left that was asked it.
    private mutating func questionsLeave(_ place: Int) {
        for index in open.indices { open[index].remove(place) }
        unanswered += open.count { $0.isEmpty }
        open.removeAll { $0.isEmpty }
    }

    private mutating func ask() {
        asked += 1
        open.append([])
        for place in fronts.indices where fronts[place].presence == .here {
            questionsReach(place)
        }
        unanswered += open.count { $0.isEmpty }
        open.removeAll { $0.isEmpty }
    }
}
