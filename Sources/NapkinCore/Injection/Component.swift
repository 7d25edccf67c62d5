// Component: what a feature provides to itself and to its children.
//
// Layer      core.
// Isolation  any thread (recursive lock); Sendable, frozen after construction.
// Invariant  a shared instance is created once, even if factories nest or race.

import Glibc

/// Holds a feature's dependency and creates what the feature shares.
///
/// Subclasses declare `@unchecked Sendable` again and add computed properties only.
// SAFETY: `dependency` is immutable; `sharedInstances` is guarded by `lock`.
open class Component<DependencyType>: Dependency, @unchecked Sendable {
    public let dependency: DependencyType

    private let lock = RecursiveLock()
    private var sharedInstances: [String: Any] = [:]

    public init(dependency: DependencyType) {
        self.dependency = dependency
    }

    /// Returns the one instance for the calling property, which `factory` creates on first use.
    ///
    /// Factories may call `shared` again, on this component or another; concurrent callers wait for
    /// the first. `nil` is remembered like any other value.
    public final func shared<T>(forCallerKey key: String = #function, _ factory: () -> T) -> T {
        lock.withLock {
            if let existing = sharedInstances[key] {
                guard let instance = existing as? T else {
                    preconditionFailure("shared(\(key)) was first made with another type")
                }
                return instance
            }
            let instance = factory()
            sharedInstances[key] = instance
            return instance
        }
    }
}

/// The component of a root, which depends on nothing.
// SAFETY: no stored state; a subclass adds immutable properties and `shared` ones.
open class EmptyComponent: Component<Void>, EmptyDependency, @unchecked Sendable {
    public init() { super.init(dependency: ()) }
}

/// A recursive lock, which `Mutex` is not: a shared factory may need another shared value.
// SAFETY: the mutex is initialised before and destroyed after any use, and never copied.
private final class RecursiveLock: @unchecked Sendable {
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)

    init() {
        var attributes = pthread_mutexattr_t()
        pthread_mutexattr_init(&attributes)
        pthread_mutexattr_settype(&attributes, Int32(PTHREAD_MUTEX_RECURSIVE))
        pthread_mutex_init(mutex, &attributes)
        pthread_mutexattr_destroy(&attributes)
    }

    deinit {
        pthread_mutex_destroy(mutex)
        mutex.deallocate()
    }

    func withLock<R>(_ body: () -> R) -> R {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return body()
    }
}
