// FavouriteTests: what a person has chosen is there again, without worker and server.

import CharactersContract
import NapkinCore
import NapkinTesting
import Testing

@testable import CharactersFeature

@MainActor
@Suite(.timeLimit(.minutes(10)), .serialized)
struct FavouriteTests {
    @Test("a favourite is marked and unmarked")
    func marks() async throws {
        try await Porch.open { porch in
            await porch.shows("list 2 of 5: ann 1, bob 1 +")
            #expect(porch.favourites == "favourites ")
            try await porch.listener.didTapFavourite("bob")
            try await porch.listener.didTapFavourite("ann")
            #expect(porch.favourites == "favourites bob 1, ann 1")
            try await porch.listener.didTapFavourite("bob")
            // Nobody has listed this one.
            try await porch.listener.didTapFavourite("zoe")
            #expect(porch.favourites == "favourites ann 1")
        }
    }

    @Test("a restored list has its favourites without a server, and its policy")
    func isRestored() async throws {
        try await Porch.open { porch in
            await porch.shows("list 2 of 5: ann 1, bob 1 +")
            try await porch.listener.didTapFavourite("bob")
            try await porch.listener.didChoose(policy: .remoteFirst)
            try await porch.session.expectQuiescent()
            porch.server.mode = .offline
            let seen = porch.journal.lines.count
            await porch.session.restart { await CharactersApp.makeRoot(porch.component) }
            #expect(porch.journal.lines.dropFirst(seen).contains("favourites bob 1"))
            // By this policy nothing that is remembered comes before the server has been asked.
            await porch.journal.wait {
                $0.dropFirst(seen).contains { $0.hasSuffix("| remoteFirst | 0 s old | offline") }
            }
            try await porch.listener.didTapFavourite("bob")
            #expect(porch.favourites == "favourites ")
        }
    }

    @Test("a restored session has its card open, and closes it")
    func reopens() async throws {
        try await Porch.open { porch in
            await porch.shows("list 2 of 5: ann 1, bob 1 +")
            try await porch.listener.didSelect("ann")
            await porch.journal.wait(for: "portrait 2 × 2 | server")
            try await porch.session.expectQuiescent()
            await porch.session.restart { await CharactersApp.makeRoot(porch.component) }
            #expect(porch.cards == 1)
            await porch.shows("card ann 1")
            try await porch.cardListener.didTapBack()
            #expect(porch.cards == 0)
            await porch.session.restart { await CharactersApp.makeRoot(porch.component) }
            #expect(porch.cards == 0)
        }
    }

    @Test("there are at most as many favourites as that")
    func isLimited() async throws {
        try await Porch.open { porch in
            await porch.shows("list 2 of 5: ann 1, bob 1 +")
            let interactor = try #require(
                porch.session.root.interactable as? CharacterListInteractor)
            await interactor.mark(CharacterListInteractor.favouritesMax - 1)
            try await porch.listener.didTapFavourite("ann")
            let before = porch.favourites
            await #expect(throws: RemoteFault.self) {
                try await porch.listener.didTapFavourite("bob")
            }
            #expect(porch.favourites == before)
            try await porch.listener.didTapFavourite("ann")
            try await porch.listener.didTapFavourite("bob")
        }
    }
}

extension CharacterListInteractor {
    /// Marks so many that no server has.
    fileprivate func mark(_ count: Int) {
        state.favourites = (0..<count).map { CharacterRow(id: "\($0)", name: "", role: "") }
    }
}
