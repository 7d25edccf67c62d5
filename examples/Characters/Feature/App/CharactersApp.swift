// CharactersApp: the app as a worker hosts it.
//
// Layer      feature: the composition root of a session.
// Isolation  none of its own; roots are created on the main actor.

import CharactersContract
public import NapkinCore

/// The people around the smokehouse: a list and a card, from a server elsewhere.
public enum CharactersApp: App {
    public static let id = "characters"
    public static let features: [any Feature.Type] = [CharacterList.self, CharacterDetail.self]

    /// The worker's component: a session has what an earlier one has loaded.
    @MainActor private static let component = AppComponent(settings: Settings.fromEnvironment)

    @MainActor
    public static func makeRoot(session: String) async -> any LaunchRouting {
        await makeRoot(component)
    }

    @MainActor
    static func makeRoot(_ component: AppComponent) async -> any LaunchRouting {
        await CharacterListBuilder(dependency: component).build()
    }
}
