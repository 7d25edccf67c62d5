// StepGraph: the declared steps of a workflow, without their types.
//
// Ownership  owned by its workflow; a node owns the nodes after it.

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
    var isActive: Bool {
        get async { await scope?.isActive ?? (item != nil) }
    }

    /// Returns when the scope is active, can no longer become active, or the task is cancelled.
    func waitUntilActive() async {
        guard let activity = scope?.isActiveStream else { return }
        item = nil
        for await isActive in activity where isActive { return }
    }

    /// Returns the item; `nil` if it has been released.
    func take() -> Any? { item ?? scope }
}
