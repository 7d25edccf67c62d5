// MultiStageComponentizedBuilder: builds a feature in several steps that share one component.
//
// Isolation  @MainActor, so that no two callers begin the same pass.
// Ownership  holds the component from a pass's first step until its final stage has returned.
// Invariant  no two passes have the same component; a pass has one.

/// A builder whose caller needs part of the feature's component before the feature itself: for
/// example, to ask a plug-in whether it applies, or for a tab's title.
///
/// `componentForCurrentBuildPass` creates a component on first use and returns that one until the
/// final stage; after that a new pass begins. A final stage that suspends keeps its component:
/// within it, the property still returns that component, while for all other callers a new pass has
/// begun.
@MainActor
open class MultiStageComponentizedBuilder<ComponentType, RouterType, DynamicBuildDependency>:
    Buildable
{
    private let makeComponent: @MainActor () -> ComponentType
    private let known = KnownComponents()
    private var current: ComponentType?
    /// The components of the final stages that have not returned, by the task that runs each.
    private var final: [TaskIdentity: ComponentType] = [:]

    /// - Parameter componentBuilder: creates a new component each time it is called.
    public init(componentBuilder: @escaping @MainActor () -> ComponentType) {
        makeComponent = componentBuilder
    }

    /// The component of this pass; a new one after each final stage.
    public final var componentForCurrentBuildPass: ComponentType {
        if let caller = TaskIdentity.current, let component = final[caller] { return component }
        return componentForNextFinalStage
    }

    private var componentForNextFinalStage: ComponentType {
        if let current { return current }
        let component = makeComponent()
        known.expectNew(component, of: self)
        current = component
        return component
    }

    /// Builds the feature with this pass's component, and ends the pass.
    public final func finalStageBuild(
        withDynamicDependency dynamicDependency: DynamicBuildDependency
    ) async -> RouterType {
        let component = componentForNextFinalStage
        // Before the stage suspends: other callers begin a new pass meanwhile.
        current = nil
        guard let caller = TaskIdentity.current else {
            return await finalStageBuild(with: component, dynamicDependency)
        }
        // A final stage may itself build another feature of the same kind.
        let outer = final.updateValue(component, forKey: caller)
        defer { final[caller] = outer }
        return await finalStageBuild(with: component, dynamicDependency)
    }

    /// Builds the feature. Override this method; call `finalStageBuild(withDynamicDependency:)`.
    open func finalStageBuild(
        with component: ComponentType, _ dynamicDependency: DynamicBuildDependency
    ) async -> RouterType {
        fatalError("\(type(of: self)) does not override finalStageBuild(with:_:)")
    }
}

/// A builder in several steps whose final stage needs only the component.
@MainActor
open class SimpleMultiStageComponentizedBuilder<ComponentType, RouterType>:
    MultiStageComponentizedBuilder<ComponentType, RouterType, Void>
{
    /// Builds the feature with this pass's component, and ends the pass.
    public final func finalStageBuild() async -> RouterType {
        await finalStageBuild(withDynamicDependency: ())
    }

    public final override func finalStageBuild(
        with component: ComponentType, _ dynamicDependency: Void
    ) async -> RouterType {
        await finalStageBuild(with: component)
    }

    /// Builds the feature. Override this method; call `finalStageBuild()`.
    open func finalStageBuild(with component: ComponentType) async -> RouterType {
        fatalError("\(type(of: self)) does not override finalStageBuild(with:)")
    }
}
