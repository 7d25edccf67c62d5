// Dependency: what a feature needs from its parent.
//
// Layer      core.
// Isolation  Sendable; frozen after construction.

/// Refined by a feature's own protocol that lists what it needs.
public protocol Dependency: AnyObject, Sendable {}

/// What a root needs: nothing.
public protocol EmptyDependency: Dependency {}
