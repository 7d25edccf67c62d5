// Workflow: steps through the tree, one after another, each when its node is active.
//
// Layer      core.
// Isolation  @MainActor: the loop thread of a worker process.
// Ownership  owns its steps; a step's item is held weakly while it is waited for.
// Invariant  runs once; `didComplete` and `didReceiveError` come at most once, and never both.

/// Leads from a scope to somewhere in the tree, whatever has to happen on the way.
///
/// ```swift
/// let workflow = Workflow<any LaunchActionable>()
/// workflow
///     .onStep("wait for login") { launch in (try await launch.waitForLogin(), ()) }
///     .onStep("open the pit board") { table, _ in (try await table.openPitBoard(), ()) }
///     .commit()
/// let run = workflow.run(on: launchInteractor)
/// switch await run.end { … }
/// ```
///
/// A step gets an *actionable item*, most often an interactor by a protocol of what can be done
/// there, and returns the next one with a value for it. Where the item is an `InteractorScope`, its
/// step begins when the scope is active. Steps run on the main actor, which in a worker is where
/// interactors run, too: their calls are plain calls.
///
/// Subclass it to hear how it ended, or to make a workflow from a URL with an initializer of its
/// own; see `DeepLinkRoute`.
@MainActor
open class Workflow<Context> {
    fileprivate let graph = StepGraph()

    public init() {}

    // MARK: - For subclasses

    /// Every committed branch has come to its end.
    open func didComplete() {}

    /// A step is shared by another branch from here on.
    open func didFork() {}

    /// A step threw, or the node that it waited for is gone. Cancellation is no error.
    open func didReceiveError(_ error: any Error) {}

    // MARK: - Steps

    /// The first step: gets what the workflow is run on.
    public final func onStep<Next, Value>(
        _ name: String, _ body: @escaping @MainActor (Context) async throws -> (Next, Value)
    ) -> Step<Context, Next, Value> {
        let node = graph.add(name, after: nil) { item, _ in
            try await body(StepGraph.cast(item))
        }
        return Step(workflow: self, node: node)
    }

    // MARK: - Running

    /// Runs what has been committed, from now on.
    ///
    /// Once: a second run is a programmer's error, and so is one without a committed branch.
    /// - Parameters:
    ///   - item: what the first step gets.
    ///   - report: told of every step's progress, in order.
    @discardableResult
    public final func run(
        on item: Context, report: @escaping @MainActor (WorkflowProgress) -> Void = { _ in }
    ) -> WorkflowRun {
        precondition(!graph.hasRun, "a workflow runs once: make another one")
        precondition(graph.isCommitted, "commit() a branch of the workflow before run(on:)")
        graph.hasRun = true
        let run = WorkflowRun(graph: graph, report: report) { [self] end in
            switch end {
            case .completed: didComplete()
            case .failed(let error): didReceiveError(error)
            case .cancelled: break
            }
        }
        run.start(StepInput(item, ()))
        return run
    }
}

/// A step that has been declared: what the next one gets, or the place where a branch ends.
@MainActor
public struct Step<Context, Item, Value> {
    fileprivate let workflow: Workflow<Context>
    fileprivate let node: StepNode

    /// The step after this one: gets what this one returned.
    public func onStep<Next, NextValue>(
        _ name: String,
        _ body: @escaping @MainActor (Item, Value) async throws -> (Next, NextValue)
    ) -> Step<Context, Next, NextValue> {
        let next = workflow.graph.add(name, after: node) { item, value in
            try await body(StepGraph.cast(item), StepGraph.cast(value))
        }
        return Step<Context, Next, NextValue>(workflow: workflow, node: next)
    }

    /// Begins another branch here: the steps so far run once, and both branches go on with what
    /// the last of them returned, side by side.
    public func fork() -> Self {
        workflow.didFork()
        return self
    }

    /// Ends a branch. Steps that lead to no commit never run.
    @discardableResult
    public func commit() -> Workflow<Context> {
        node.commit()
        return workflow
    }
}

/// What went wrong with a workflow itself.
public enum WorkflowError: Error, Equatable, CustomStringConvertible {
    /// The node that a step waited for is gone, without having been active meanwhile.
    case nodeIsGone(step: String)

    public var description: String {
        switch self {
        case .nodeIsGone(let step):
            "the node that the step '\(step)' needs is gone: open the link again"
        }
    }
}
