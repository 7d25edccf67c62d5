// CharactersApp: the app as a worker hosts it.

import CharactersContract
public import NapkinCore

/// The people around the smokehouse: a list and a card, from a server elsewhere.
public enum CharactersApp: App {
    public static let id = "characters"
    public static let features: [any Feature.Type] = [CharacterList.self, CharacterDetail.self]
    public static let durableStates: [any DurableState.Type] = [CharacterListInteractor.State.self]

    /// The worker's component: a session has what an earlier one has loaded.
    @MainActor private static var component: AppComponent?

    @MainActor
    public static func makeRoot(_ session: SessionContext) async -> any LaunchRouting {
        let component =
            Self.component
            ?? AppComponent(settings: Settings.fromEnvironment, cache: session.cacheDirectory)
        Self.component = component
        return await makeRoot(component)
    }

    @MainActor
    static func makeRoot(_ component: AppComponent) async -> any LaunchRouting {
        await CharacterListBuilder(dependency: component).build()
    }
}
