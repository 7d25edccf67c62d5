// CharacterDetailRouter: the card's place in the tree.
//
// Layer      feature.
// Isolation  @MainActor.

import CharactersContract
import NapkinCore

/// The card leads nowhere but back, and that is its parent's business.
@MainActor
protocol CharacterDetailRouting: ViewableRouting {}

@MainActor
final class CharacterDetailRouter: ViewableRouter<CharacterDetailInteractor, CharacterDetail>,
    CharacterDetailRouting
{}
