// CharacterDetailRouter: the card's place in the tree.
//
// Layer      feature.
// Isolation  @MainActor.

import CharactersContract
import NapkinCore

/// The card leads only back, which its parent handles.
@MainActor
protocol CharacterDetailRouting: ViewableRouting {}

@MainActor
final class CharacterDetailRouter: ViewableRouter<CharacterDetailInteractor, CharacterDetail>,
    CharacterDetailRouting
{}
