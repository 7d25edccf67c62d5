// ComponentizedBuilder: a builder that creates a component for each feature that it builds.
//
// Ownership  holds components weakly: each lives as long as the feature built with it.
// Invariant  no two builds get the same component.

/// A builder of features that each have their own component.
///
/// The closure captures values known when the builder is created (the *static* dependency). Values
/// known only when a feature is built come in two parts: one for the component, which also passes
/// it to the feature's children, and one for the build itself: a listener, and values that the view
/// receives once. The latter become the feature's `Arguments`: they are given to `RemoteView`,
/// cross with the mount, and reach the front's view.
///
/// ```swift
/// final class LoggedInBuilder: ComponentizedBuilder<
///     LoggedInComponent, any LoggedInRouting, (user: User, listener: any LoggedInListener), Void
/// > {
///     override func build(
///         with component: LoggedInComponent, _ given: (user: User, listener: any LoggedInListener)
///     ) async -> any LoggedInRouting {
///         let view = RemoteView<LoggedIn>(arguments: .init(user: given.user))
///         …
///     }
/// }
///
/// let builder = LoggedInBuilder { LoggedInComponent(dependency: dependency) }
/// ```
///
/// A closure that returns the same component twice ends the process, in a release build as well:
/// two features would share objects that each should have for itself.
@MainActor
open class ComponentizedBuilder<
    ComponentType, RouterType, DynamicBuildDependency, DynamicComponentDependency
>: Buildable {
    private let makeComponent: @MainActor (DynamicComponentDependency) -> ComponentType
    private let known = KnownComponents()

    /// - Parameter componentBuilder: creates a new component each time it is called.
    public init(
        componentBuilder: @escaping @MainActor (DynamicComponentDependency) -> ComponentType
    ) {
        makeComponent = componentBuilder
    }

    /// Builds a feature with a new component.
    public final func build(
        withDynamicBuildDependency dynamicBuildDependency: DynamicBuildDependency,
        dynamicComponentDependency: DynamicComponentDependency
    ) async -> RouterType {
        await build(
            withDynamicBuildDependency: dynamicBuildDependency,
            dynamicComponentDependency: dynamicComponentDependency
        ).1
    }

    /// Builds a feature with a new component, and returns both.
    public final func build(
        withDynamicBuildDependency dynamicBuildDependency: DynamicBuildDependency,
        dynamicComponentDependency: DynamicComponentDependency
    ) async -> (ComponentType, RouterType) {
        let component = makeComponent(dynamicComponentDependency)
        known.expectNew(component, of: self)
        return (component, await build(with: component, dynamicBuildDependency))
    }

    /// Builds the feature. Override this method; call one of the others.
    open func build(
        with component: ComponentType, _ dynamicBuildDependency: DynamicBuildDependency
    ) async -> RouterType {
        fatalError("\(type(of: self)) does not override build(with:_:)")
    }
}

/// A builder of features that need only their static dependency.
@MainActor
open class SimpleComponentizedBuilder<ComponentType, RouterType>:
    ComponentizedBuilder<ComponentType, RouterType, Void, Void>
{
    /// - Parameter componentBuilder: creates a new component each time it is called.
    public init(componentBuilder: @escaping @MainActor () -> ComponentType) {
        super.init { _ in componentBuilder() }
    }

    /// Builds a feature with a new component.
    public final func build() async -> RouterType {
        await build(withDynamicBuildDependency: (), dynamicComponentDependency: ())
    }

    public final override func build(
        with component: ComponentType, _ dynamicBuildDependency: Void
    ) async -> RouterType {
        await build(with: component)
    }

    /// Builds the feature. Override this method; call `build()`.
    open func build(with component: ComponentType) async -> RouterType {
        fatalError("\(type(of: self)) does not override build(with:)")
    }
}

/// Detects a closure that returns the same component twice.
@MainActor
final class KnownComponents {
    private struct Entry {
        weak var component: AnyObject?
    }

    private var entries: [Entry] = []

    /// Notes a component; returns false if it was noted before. Values have no identity: each is
    /// new.
    func isNew(_ component: Any) -> Bool {
        guard type(of: component) is AnyClass else { return true }
        let object = component as AnyObject
        entries.removeAll { $0.component == nil }
        guard !entries.contains(where: { $0.component === object }) else { return false }
        entries.append(Entry(component: object))
        return true
    }

    /// Ends the process, in a release build as well, unless `component` is new.
    func expectNew(_ component: Any, of builder: Any) {
        guard !isNew(component) else { return }
        // A precondition's message would be missing from a release build.
        fatalError(
            "the component closure of \(type(of: builder)) returned the same "
                + "\(type(of: component)) twice: create a new component in the closure, "
                + "and share what must be shared in its dependency")
    }
}
