// Recorders: presenters and listeners that write down what they are told.

import RibHouseContract

@testable import RibHouseFeature

/// A table that writes instead of drawing.
@MainActor
final class LoggedInRecorder: LoggedInPresentable {
    let journal: Journal

    init(_ journal: Journal) { self.journal = journal }

    func present(pitSummary: String) async { journal.note("summary \(pitSummary)") }
    func present(foods: [String]) async { journal.note("foods \(foods.count)") }
    func present(banner: String?) async { journal.note("banner \(banner ?? "none")") }
}

/// A board that writes instead of drawing.
@MainActor
final class PitBoardRecorder: PitBoardPresentable {
    let journal: Journal

    init(_ journal: Journal) { self.journal = journal }

    func present(sections: [PitSection]) async { journal.note("sections \(Self.text(sections))") }
    func present(specials: [Special]) async { journal.note("specials \(Self.text(specials))") }

    /// `Lighting 2, Smoking 2, Resting 1`
    static func text(_ sections: [PitSection]) -> String {
        sections.map { "\($0.title) \($0.items.count)" }.joined(separator: ", ")
    }

    static func text(_ specials: [Special]) -> String {
        specials.map(\.name).joined(separator: ", ")
    }
}

/// The parent of every feature.
final class ParentRecorder: LoggedInListener, LoggedOutListener, PitBoardListener,
    AnnouncementsListener
{
    let journal: Journal

    init(_ journal: Journal) { self.journal = journal }

    func loggedInDidTapLogout() async { await journal.note("logout") }
    func loggedOutDidTapLogin() async { await journal.note("login") }
    func pitBoardDidFinish() async { await journal.note("board finished") }
    func announcementsDidHearLastCall(for item: String) async {
        // Slow on purpose: whoever does not wait for it would overtake it here.
        for _ in 0..<10 { await Task.yield() }
        await journal.note("last call \(item)")
    }
}
