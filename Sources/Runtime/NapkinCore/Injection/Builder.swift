// Builder: creates a feature: component, interactor, router, and the handle of its view.

/// The base of a feature's `…Buildable` protocol.
@MainActor
public protocol Buildable: AnyObject, Sendable {}

/// Holds a feature's dependency and builds the feature on demand; the subclass adds `build(…)`.
///
/// A feature that has no children needs neither a builder nor a router; see `Router.attach`.
@MainActor
open class Builder<DependencyType>: Buildable {
    public let dependency: DependencyType

    public init(dependency: DependencyType) { self.dependency = dependency }
}
