// KnownComponents: the components that a builder has created and that still exist.
//
// Ownership  holds the components weakly: they live as long as the features built with them.

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
