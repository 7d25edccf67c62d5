// Stage: shows a tree of features; in a worker, the session with its fronts.
//
// Layer      core; the runtime implements it.

/// Where a child's view goes in its parent's view.
public enum Presentation: String, Codable, Sendable, CaseIterable {
    /// The view takes the place of the parent's content.
    case embed
    /// The view goes on top of the parent's stack.
    case push
    /// The view is one tab beside the others.
    case tab
    /// The view is above everything, until it is dismissed.
    case modal
}

/// One change of a mounted tree.
package enum StageOperation {
    /// The node is shown; its parent is shown already or earlier in the same batch.
    case mount(FeatureNode)
    /// The node that had this number, and everything below it, is no longer shown.
    case unmount(UInt32)
}

@MainActor
package protocol Stage: AnyObject {
    var pages: FrontPages { get }

    /// The tree's recorder; `nil` if the tree is not recorded.
    var treeRecorder: (any TreeRecorder)? { get }

    /// Returns the number of the next node; never zero, never the same twice in the stage's life.
    func makeNodeID() -> UInt32

    /// Applies a batch as a whole: no front ever shows half of it.
    func apply(_ operations: [StageOperation])

    /// The newest value of `method` has changed.
    func stateChanged(of node: FeatureNode, _ method: MethodID)

    /// An item of this many bytes was appended to a log, which keeps it and all items before it
    /// until this returns.
    func logGrew(of node: FeatureNode, _ method: MethodID, by bytes: Int)

    /// Sends an effect to the fronts that are attached now, or to one of them.
    func effect(from node: FeatureNode, _ message: some CrossingMessage, to front: UInt64?)

    /// Asks the fronts, or one of them; see `PresentPort.ask`.
    func ask(
        from node: FeatureNode, _ message: some CrossingMessage, of front: UInt64?
    ) async throws(RemoteFault) -> Answer
}

extension Stage {
    package var treeRecorder: (any TreeRecorder)? { nil }
}
