// Words: what the house presents in the words of these tests, and who stands in for its parts.

import NapkinTesting
import RibHouseContract

@testable import RibHouseFeature

enum Words {
    /// `summary 2 SMOKING · 1 RESTING`
    static func text(_ message: LoggedIn.Presenting.Message) -> String {
        switch message {
        case .presentPitSummary(let summary): "summary \(summary)"
        case .presentFoods(let foods): "foods \(foods.joined(separator: ", "))"
        case .presentBanner(let banner): "banner \(banner ?? "none")"
        }
    }

    /// `sections Lighting 2, Smoking 2, Resting 1`
    static func text(_ message: PitBoard.Presenting.Message) -> String {
        switch message {
        case .presentSections(let sections):
            "sections "
                + sections.map { "\($0.title) \($0.items.count)" }.joined(separator: ", ")
        case .presentSpecials(let specials):
            "specials \(specials.map(\.name).joined(separator: ", "))"
        }
    }
}

/// Where the table goes.
final class Ways: RecordingRouter<LoggedInInteractor>, LoggedInRouting {
    func routeToPitBoard() async { record() }
    func routeFromPitBoard() async { record() }
}

/// The parent of every feature.
final class Parent: RecordingListener, LoggedInListener, LoggedOutListener, PitBoardListener,
    AnnouncementsListener
{
    let journal = Journal()

    func loggedInDidTapLogout() async { record() }
    func loggedInDidHear(of items: [PitItem]) async { record("\(Self.resting(items)) rest") }
    func loggedOutDidTapLogin() async { record() }
    func pitBoardDidFinish() async { record() }
    func announcementsDidHearLastCall(for item: String) async {
        // Slow on purpose: whoever does not wait for it would overtake it here.
        for _ in 0..<10 { await Task.yield() }
        record("last call \(item)")
    }
    func announcementsWillPost(_ items: [PitItem]) async {
        record("\(Self.resting(items)) will rest")
    }

    private static func resting(_ items: [PitItem]) -> Int { items.count { $0.stage == .resting } }
}
