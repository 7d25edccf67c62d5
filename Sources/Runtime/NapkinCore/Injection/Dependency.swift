// Dependency: a feature's requirements of its parent.

/// The base of a feature's own protocol, which lists the feature's requirements.
@MainActor
public protocol Dependency: AnyObject, Sendable {}

/// The dependency of a root, which needs nothing.
public protocol EmptyDependency: Dependency {}
