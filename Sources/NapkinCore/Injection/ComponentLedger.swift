// ComponentLedger: the components that a builder has made and that are still there.
//
// Layer      core.
// Isolation  any thread (Mutex).
// Ownership  holds the components weakly: they live as long as what was built with them.

import Synchronization

/// Catches a closure that returns a component for the second time.
final class ComponentLedger: Sendable {
    // SAFETY: the reference is only compared, by its identity, and under the ledger's lock.
    private struct Entry: @unchecked Sendable {
        weak var component: AnyObject?
    }

    private let entries = Mutex<[Entry]>([])

    /// Notes a component; false if it is one that was made before. Values have no identity, so
    /// that each of them is new.
    func isNew(_ component: Any) -> Bool {
        guard type(of: component) is AnyClass else { return true }
        let object = component as AnyObject
        let entry = Entry(component: object)
        return entries.withLock { entries in
            entries.removeAll { $0.component == nil }
            guard !entries.contains(where: { $0.component === entry.component }) else {
                return false
            }
            entries.append(entry)
            return true
        }
    }

    /// Ends the process, also in a release build, unless `component` is new.
    func expectNew(_ component: Any, of builder: Any) {
        guard !isNew(component) else { return }
        // Not a precondition, whose words are left out of a release build.
        fatalError(
            "the component closure of \(type(of: builder)) returned the same "
                + "\(type(of: component)) twice: create a new component in the closure, "
                + "and share what must be shared in its dependency")
    }
}
