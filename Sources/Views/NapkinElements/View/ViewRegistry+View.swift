// ViewRegistry+View: registers a feature's presenter together with its view.

public import NapkinCore
public import NapkinFront

/// Checks at compile time that a model is the feature's presenter. The compiler writes it into
/// calls of `register`, and rejects the model of another feature there.
@freestanding(expression)
public macro presenter<Model, Target>() -> (Model) -> Target =
    #externalMacro(module: "NapkinMacros", type: "PresenterMacro")

extension ViewRegistry {
    /// Registers a feature's presenter, created from its listener, and the view that shows it. A
    /// later registration replaces an earlier one.
    ///
    /// ```swift
    /// registry.register(PitBoard.self, PitBoardModel.init) { PitBoardScreen(model: $0) }
    /// ```
    ///
    /// - Parameters:
    ///   - feature: the feature.
    ///   - model: creates the presenter.
    ///   - presenter: leave it out.
    ///   - view: creates the presenter's view.
    public func register<F: Feature, Model, Content: View>(
        _ feature: F.Type, _ model: @escaping @MainActor (F.Listening.Target) -> Model,
        presenter: @escaping (Model) -> F.Presenting.Target = #presenter,
        view: @escaping @MainActor (Model) -> Content
    ) {
        register(feature, model, presenter: presenter) { model, _ in view(model) }
    }

    /// Registers a feature's presenter, and a view that shows it with its arguments.
    ///
    /// ```swift
    /// registry.register(LoggedIn.self, LoggedInModel.init) {
    ///     LoggedInScreen(user: $1.user, model: $0)
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - feature: the feature.
    ///   - model: creates the presenter.
    ///   - presenter: leave it out.
    ///   - view: creates the view from the presenter and the arguments.
    public func register<F: Feature, Model, Content: View>(
        _ feature: F.Type, _ model: @escaping @MainActor (F.Listening.Target) -> Model,
        presenter: @escaping (Model) -> F.Presenting.Target = #presenter,
        view: @escaping @MainActor (Model, F.Arguments) -> Content
    ) {
        register(feature) { context in
            let model = model(context.listener)
            return (presenter(model), view(model, context.arguments))
        }
    }

    /// Registers a presenter that needs more of its context than the listener, and its view.
    public func register<F: Feature, Content: View>(
        _ feature: F.Type,
        _ make: @escaping @MainActor (ViewContext<F>) -> (F.Presenting.Target, Content)
    ) {
        register(feature, shown: { make($0) })
    }

    /// Registers the view of a feature that presents nothing.
    public func register<F: Feature, Content: View>(
        _ feature: F.Type, _ make: @escaping @MainActor (ViewContext<F>) -> Content
    ) where F.Presenting == PresentsNothing {
        register(feature, shown: { ((), make($0)) })
    }
}
