// House: a whole session with a front that records, and a clock that is moved by hand.

import NapkinCore
import NapkinTesting
import RibHouseContract

@testable import RibHouseFeature

/// A session that has been launched and shows its door to one front.
@MainActor
final class House {
    static let tick = Duration.seconds(4)
    static let specials = Duration.seconds(6)
    static let banner = Duration.seconds(3)

    let clock = ManualClock()
    let component: AppComponent
    let session: TestSession
    let views = RecordingViews()
    let front: TestFront

    var journal: Journal { views.journal }
    var root: any LaunchRouting { session.root }

    private init() async throws {
        component = AppComponent(
            tempo: Tempo(tick: Self.tick, clock: AnyClock(clock)))
        // A second session, with other services, restores the state and must present the same.
        session = await TestSession.launch(
            await LaunchBuilder(dependency: component).build(), features: RibHouse.features,
            app: RibHouse.id
        ) {
            let tempo = Tempo(tick: Self.tick, clock: AnyClock(ManualClock()))
            return await LaunchBuilder(dependency: AppComponent(tempo: tempo)).build()
        }
        let journal = views.journal
        views.record(Launch.self).record(LoggedOut.self)
            .record(LoggedIn.self) { $0.onMessage { journal.note(Words.text($0)) } }
            .record(PitBoard.self) { $0.onMessage { journal.note(Words.text($0)) } }
        front = try await session.attach(views)
    }

    /// Opens a house, and closes it after `visit`.
    ///
    /// - Parameter isSound: whether everything must be at rest then, and what is kept be right: not
    ///   after a visit that has gone past the interactors.
    static func open(
        isSound: Bool = true, _ visit: (House) async throws -> Void
    ) async throws {
        let house = try await House()
        do {
            try await visit(house)
            if isSound { try await house.session.expectQuiescent() }
        } catch {
            await house.session.end()
            throw error
        }
        await house.session.end()
    }

    /// The features that are shown, in the order in which they came.
    var features: [String] {
        front.nodes.map { String($0.feature.rawValue.dropFirst("\(RibHouse.id).".count)) }
    }

    /// The lines of what was mounted and unmounted, one for each batch.
    var batches: [String] {
        journal.lines.filter { $0.hasPrefix("+") || $0.hasPrefix("-") }
    }

    // MARK: - What a guest does

    /// Does something with the listener of the feature's view. Returns whether it was answered.
    @discardableResult
    func tap<F: Feature>(
        _ feature: F.Type, _ event: (F.Listening.Target) async -> Void
    ) async -> Bool {
        guard front.shows(F.id), let listener = views.newest(F.self)?.listener else {
            return false
        }
        let failures = failedEvents
        await event(listener)
        return failedEvents == failures
    }

    private var failedEvents: Int { journal.lines.count { $0.hasPrefix("event failed") } }

    /// Everything that is unread afterwards has come since.
    func login() async {
        journal.skip()
        await tap(LoggedOut.self) { await $0.didTapLogin() }
        await sees("- logged-out; + logged-in in loggedIn (embed)")
    }

    func logout() async {
        journal.skip()
        await tap(LoggedIn.self) { await $0.didTapLogout() }
        await sees("- logged-in; + logged-out in loggedOut (embed)")
    }

    func openBoard() async -> Bool {
        await tap(LoggedIn.self) { await $0.didTapPitBoard() }
    }

    /// Waits for one more line like that without reading up to it: what a view is mounted with
    /// comes before its batch.
    private func sees(_ line: String) async {
        let read = journal.lines.count - journal.unread.count
        await journal.wait { $0.dropFirst(read).contains(line) }
    }
}
