// Workflow: steps through the tree, one after another, each when its node is active.
//
// Ownership  owns its steps; a step's item is held weakly while it is waited for.
// Invariant  runs once; `didComplete` and `didReceiveError` come at most once, and never both.

/// Leads from a scope to a place in the tree, whatever has to happen on the way.
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
/// A step receives an *actionable item*, usually an interactor behind a protocol of possible
/// actions, and returns the next item with a value for it. If the item is an `InteractorScope`, its
/// step begins when the scope is active. Steps run on the main actor, where interactors also run in
/// a worker: their calls are plain calls.
///
/// Subclass it to learn how it ended, or to create a workflow from a URL with your own initializer;
/// see `DeepLinkRoute`.
@MainActor
open class Workflow<Context> {
    fileprivate let graph = StepGraph()

    public init() {}

    // MARK: - For subclasses

    /// Every committed branch has finished.
    open func didComplete() {}

    /// Another branch shares a step from here on.
    open func didFork() {}

    /// A step threw, or the node that it waited for is gone. Cancellation is not an error.
    open func didReceiveError(_ error: any Error) {}

    // MARK: - Steps

    /// Adds the first step, which receives the item that the workflow runs on.
    public final func onStep<Next, Value>(
        _ name: String, _ body: @escaping @MainActor (Context) async throws -> (Next, Value)
    ) -> Step<Context, Next, Value> {
        let node = graph.add(name, after: nil) { item, _ in
            try await body(StepGraph.cast(item))
        }
        return Step(workflow: self, node: node)
    }

    // MARK: - Running

    /// Runs the committed steps, from now on.
    ///
    /// Call it once: a second run is a programmer's error, and so is a run without a committed
    /// branch.
    /// - Parameters:
    ///   - item: the item that the first step receives.
    ///   - report: receives every step's progress, in order.
    @discardableResult
    public final func run(
        on item: Context, report: @escaping @MainActor (WorkflowProgress) -> Void = { _ in }
    ) -> WorkflowRun {
        precondition(!graph.hasRun, "a workflow runs once: create another one")
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

/// A declared step: the input of the next one, or the place where a branch ends.
@MainActor
public struct Step<Context, Item, Value> {
    fileprivate let workflow: Workflow<Context>
    fileprivate let node: StepNode

    /// Adds the step after this one, which receives this one's result.
    public func onStep<Next, NextValue>(
        _ name: String,
        _ body: @escaping @MainActor (Item, Value) async throws -> (Next, NextValue)
    ) -> Step<Context, Next, NextValue> {
        let next = workflow.graph.add(name, after: node) { item, value in
            try await body(StepGraph.cast(item), StepGraph.cast(value))
        }
        return Step<Context, Next, NextValue>(workflow: workflow, node: next)
    }

    /// Begins another branch here: the steps so far run once, and both branches continue with the
    /// result of the last one, side by side.
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

/// An error of a workflow itself.
public enum WorkflowError: Error, Equatable, CustomStringConvertible {
    /// The node that a step waited for is gone and has not been active meanwhile.
    case nodeIsGone(step: String)

    public var description: String {
        switch self {
        case .nodeIsGone(let step):
            "the node that the step '\(step)' needs is gone: open the link again"
        }
    }
}

/// One declared step.
@MainActor
final class StepNode {
    typealias Body = @MainActor (Any, Any) async throws -> (Any, Any)

    /// The step's number, from 1 in the order of declaration.
    let number: Int
    let name: String
    let body: Body
    private let previous: StepNode?
    private var next: [StepNode] = []
    /// Whether the step leads to a commit.
    private(set) var isCommitted = false

    init(number: Int, name: String, after previous: StepNode?, body: @escaping Body) {
        self.number = number
        self.name = name
        self.previous = previous
        self.body = body
    }

    func append(_ node: StepNode) { next.append(node) }

    func commit() {
        isCommitted = true
        previous?.commit()
    }

    /// The steps that follow and lead to a commit.
    var following: [StepNode] { next.filter(\.isCommitted) }
}

/// The steps of one workflow.
@MainActor
final class StepGraph {
    private(set) var steps: [StepNode] = []
    private var first: [StepNode] = []
    var hasRun = false

    var isCommitted: Bool { steps.contains(where: \.isCommitted) }

    /// The steps that will run, and the first among them.
    var committed: [StepNode] { steps.filter(\.isCommitted) }
    var roots: [StepNode] { first.filter(\.isCommitted) }

    func add<Next, Value>(
        _ name: String, after previous: StepNode?,
        _ body: @escaping @MainActor (Any, Any) async throws -> (Next, Value)
    ) -> StepNode {
        precondition(!hasRun, "a workflow's steps are declared before it runs")
        let node = StepNode(number: steps.count + 1, name: name, after: previous) { item, value in
            let (next, nextValue) = try await body(item, value)
            return (next, nextValue)
        }
        steps.append(node)
        if let previous { previous.append(node) } else { first.append(node) }
        return node
    }

    /// Returns a step's result as the type that the next step declared: `Step` has checked it.
    static func cast<T>(_ value: Any) -> T {
        guard let value = value as? T else {
            preconditionFailure("a step of \(type(of: value)) where \(T.self) is due")
        }
        return value
    }
}

/// The input of one step: an item, weakly while its activation is awaited, and a value.
@MainActor
final class StepInput {
    private var item: Any?
    private weak var scope: (any InteractorScope)?
    let value: Any

    init(_ item: Any, _ value: Any) {
        self.item = item
        self.value = value
        scope = item as? any InteractorScope
    }

    /// Returns one input for each of `count` branches, which wait separately. Releases its own
    /// item.
    func copies(_ count: Int) -> [StepInput] {
        guard let item else { return [] }
        self.item = nil
        return (0..<count).map { _ in StepInput(item, value) }
    }

    /// Whether the step can begin at once.
    var isActive: Bool { get async { await scope?.isActive ?? (item != nil) } }

    /// Returns when the scope is active, can no longer become active, or the task is cancelled.
    func waitUntilActive() async {
        guard let activity = scope?.isActiveStream else { return }
        item = nil
        for await isActive in activity where isActive { return }
    }

    /// Returns the item; `nil` if it has been released.
    func take() -> Any? { item ?? scope }
}
