// PushedPlace: which stack of a view shows the child that its router has pushed.
//
// Ownership  kept with the node's rendering; the view's stacks find it in their environment.
// Invariant  a child stays with the stack that has shown it first, for as long as that is there.

/// The place of a node's pushed children in its view.
final class PushedPlace {
    /// Whether there is a pushed child.
    var hasChild = false
    /// Whether the view, as it was evaluated last, has a stack that shows such a child or keeps it.
    private(set) var hasStack = false
    /// The stack that has the child, perhaps in a tab that is not seen.
    private var stack: NavigationMemory?
    private var isSeen = false

    /// Whether the child covers the whole view.
    var coversView: Bool { hasChild && !hasStack }

    /// Whether the child is seen.
    var showsChild: Bool { hasChild && (isSeen || !hasStack) }

    /// Returns whether a stack, which is being evaluated, shows the child in place of its pages.
    func isShown(by stack: NavigationMemory) -> Bool {
        hasStack = true
        guard hasChild else { return false }
        if self.stack == nil { self.stack = stack }
        guard self.stack === stack else { return false }
        isSeen = true
        return true
    }

    /// The view is about to be evaluated.
    func begin() {
        if !hasChild { stack = nil }
        (hasStack, isSeen) = (false, false)
    }

    /// The view has been evaluated. Returns whether another stack shows the child when it is
    /// evaluated once more, since the one that had the child is gone.
    func end(in root: SiteRoot) -> Bool {
        guard let stack, !isSeen else { return false }
        if root.keeps({ (memory: NavigationMemory) in memory === stack }) {
            hasStack = true
            return false
        }
        self.stack = nil
        return hasStack
    }

    /// Continues with the stack of the former tree.
    func goOn(from former: PushedPlace) { stack = former.stack }
}

private enum PushedKey: EnvironmentKey {
    static let defaultValue: PushedPlace? = nil
}

extension EnvironmentValues {
    /// Where the first stack finds whether there is a pushed child.
    var pushed: PushedPlace? {
        get { self[PushedKey.self] }
        set { self[PushedKey.self] = newValue }
    }
}
