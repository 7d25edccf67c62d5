// Porch: the app on stage, with a server and a clock in the test's hands, and a front that records.

import CharactersContract
import CharactersNetworking
import NapkinCore
import NapkinTesting

@testable import CharactersFeature

/// What is presented, a line each.
enum Lines {
    /// `2 of 5 …: ann 1, bob 1 + | localFirst | 61 s old | offline`
    static func text(_ model: CharacterListModel) -> String {
        let names = model.rows.map(\.name).joined(separator: ", ")
        let parts = [
            "\(model.rows.count) of \(model.total)\(model.isLoading ? " …" : ""): \(names)"
                + (model.hasMore ? " +" : ""),
            model.policy == .localFirst ? nil : "\(model.policy)",
            model.staleSeconds.map { "\($0) s old" }, model.problem.map(text),
        ]
        return "list " + parts.compactMap(\.self).joined(separator: " | ")
    }

    static func text(_ favourites: [CharacterRow]) -> String {
        "favourites \(favourites.map(\.name).joined(separator: ", "))"
    }

    static func text(_ model: CharacterDetailModel) -> String {
        let parts = [
            "\(model.card?.name ?? "nobody")\(model.isLoading ? " …" : "")",
            model.staleSeconds.map { "\($0) s old" }, model.problem.map(text),
        ]
        return "card " + parts.compactMap(\.self).joined(separator: " | ")
    }

    static func text(_ model: PortraitModel) -> String {
        let parts = [
            model.isLoading ? "…" : nil, model.portrait.map { "\($0.width) × \($0.height)" },
            model.origin?.rawValue, model.problem.map(text), model.notKept,
        ]
        return "portrait " + parts.compactMap(\.self).joined(separator: " | ")
    }

    static func text(_ problem: Problem) -> String {
        switch problem {
        case .offline: "offline"
        case .notFound: "not found"
        case .badData: "bad data"
        case .timeout(let seconds): "timeout \(seconds) s"
        case .settings(let reason): reason
        }
    }
}

@MainActor
final class Porch {
    let server: FakeServer
    let clock = ManualClock()
    let files = MemoryFiles()
    let component: AppComponent
    let session: TestSession
    let views = RecordingViews()
    let front: TestFront

    private init(_ server: FakeServer) async throws {
        self.server = server
        component = AppComponent(
            transport: server, files: files, clock: AnyClock(clock))
        // What is kept is also restored beside, and has to present the same. What is fetched is
        // loaded again, and may be under way or from another place then.
        session = await TestSession.launch(
            CharactersApp.makeRoot(component), features: CharactersApp.features,
            app: CharactersApp.id,
            losing: [
                "characters.list present(list:)", "characters.detail present(detail:)",
                "characters.detail present(portrait:)",
            ]
        ) {
            let services = AppComponent(
                transport: FakeServer(), files: MemoryFiles(), clock: AnyClock(ManualClock()))
            return await CharactersApp.makeRoot(services)
        }
        let journal = views.journal
        views.record(CharacterList.self) { view in
            view.onMessage {
                switch $0 {
                case .presentList(let model): journal.note(Lines.text(model))
                case .presentFavourites(let rows): journal.note(Lines.text(rows))
                }
            }
        }
        views.record(CharacterDetail.self) { view in
            view.onMessage {
                switch $0 {
                case .presentDetail(let model): journal.note(Lines.text(model))
                case .presentPortrait(let model): journal.note(Lines.text(model))
                }
            }
        }
        front = try await session.attach(views)
    }

    static func open(
        server: FakeServer = FakeServer(), _ visit: (Porch) async throws -> Void
    ) async throws {
        let porch = try await Porch(server)
        do {
            try await visit(porch)
            server.release()
            try await porch.session.expectQuiescent()
        } catch {
            await porch.end()
            throw error
        }
        await porch.end()
    }

    private func end() async {
        server.release()
        await session.end()
    }

    var journal: Journal { views.journal }

    var repository: CachingCharacterRepository {
        get throws {
            guard
                case .repository(let repository as CachingCharacterRepository) =
                    component.characters
            else { throw Missing() }
            return repository
        }
    }

    /// The newest list that the front has been shown.
    var list: String? { journal.lines.last { $0.hasPrefix("list") } }
    var favourites: String? { journal.lines.last { $0.hasPrefix("favourites") } }
    var card: String? { journal.lines.last { $0.hasPrefix("card") } }

    var listener: any CharacterListPresentableListener {
        get throws {
            guard let listener = views.newest(CharacterList.self)?.listener else {
                throw Missing()
            }
            return listener
        }
    }

    var cardListener: any CharacterDetailPresentableListener {
        get throws {
            guard let listener = views.newest(CharacterDetail.self)?.listener else {
                throw Missing()
            }
            return listener
        }
    }

    private struct Missing: Error {}

    /// How many cards are on the screen.
    var cards: Int { front.nodes.count { $0.feature == CharacterDetail.id } }

    /// Returns when the list is shown so.
    func shows(_ line: String) async {
        await journal.wait { $0.last { $0.hasPrefix(line.prefix(4)) } == line }
    }
}
