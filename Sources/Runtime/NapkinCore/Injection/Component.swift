// Component: the objects that a feature provides to itself and to its children.
//
// Invariant  a shared instance is created once, even if factories nest.

/// Holds a feature's dependency and creates what the feature shares.
///
/// Features are built on the main actor, so a component's objects live there; an interactor
/// receives the ones that it needs when it is built.
@MainActor
open class Component<DependencyType>: Dependency {
    public let dependency: DependencyType

    private var sharedInstances: [String: Any] = [:]

    public init(dependency: DependencyType) { self.dependency = dependency }

    /// Returns the one instance for the calling property, which `factory` creates on first use.
    ///
    /// Factories may call `shared` again, on this component or another. `nil` is remembered like
    /// any other value.
    public final func shared<T>(forCallerKey key: String = #function, _ factory: () -> T) -> T {
        if let existing = sharedInstances[key] {
            guard let instance = existing as? T else {
                preconditionFailure("shared(\(key)) was first created with another type")
            }
            return instance
        }
        let instance = factory()
        sharedInstances[key] = instance
        return instance
    }
}

/// The component of a root, which depends on nothing.
open class EmptyComponent: Component<Void>, EmptyDependency {
    public init() { super.init(dependency: ()) }
}

/// The base of a feature's own protocol, which lists the feature's requirements.
@MainActor
public protocol Dependency: AnyObject, Sendable {}

/// The dependency of a root, which needs nothing.
public protocol EmptyDependency: Dependency {}
