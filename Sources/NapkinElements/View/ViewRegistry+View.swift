// ViewRegistry+View: registers a feature's presenter together with its view.
//
// Layer      elements, views.
// Isolation  @MainActor.

public import NapkinCore
public import NapkinFront

extension ViewRegistry {
    /// Registers the presenter and the view of a feature. A later registration replaces an earlier
    /// one.
    ///
    /// ```swift
    /// registry.register(PitBoard.self) { context in
    ///     let model = PitBoardModel(listener: context.listener)
    ///     return (model, PitBoardScreen(model: model))
    /// }
    /// ```
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
