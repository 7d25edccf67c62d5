// Dependency: what a feature needs from its parent.

/// The base of a feature's own protocol, which lists what the feature needs.
@MainActor
public protocol Dependency: AnyObject, Sendable {}

/// The dependency of a root, which needs nothing.
public protocol EmptyDependency: Dependency {}
