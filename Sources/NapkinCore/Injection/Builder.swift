// Builder: creates a feature: component, interactor, router, and the handle of its view.
//
// Layer      core.
// Isolation  Sendable; frozen after construction.

/// The base of a feature's `…Buildable` protocol.
public protocol Buildable: AnyObject, Sendable {}

/// Holds a feature's dependency and builds the feature on demand; the subclass adds `build(…)`.
// SAFETY: `dependency` is immutable; a subclass adds immutable properties only.
open class Builder<DependencyType>: Buildable, @unchecked Sendable {
    public let dependency: DependencyType

    public init(dependency: DependencyType) {
        self.dependency = dependency
    }
}
