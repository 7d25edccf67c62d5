// WorkflowRun: a running workflow: its progress, its end, and the way to cancel it.
//
// Ownership  owns its task until the end; the caller that runs a workflow may drop the run.
// Invariant  ends once; every step reported as begun is reported as ended before that.

/// The progress of one step of a workflow.
public struct WorkflowProgress: Equatable, Sendable {
    /// The state of a step.
    public enum State: String, Sendable, CaseIterable {
        /// The step's node is not active yet.
        case waiting
        case running
        case done
        /// The step threw, or its node is gone.
        case failed
        /// The workflow was cancelled, or another branch has failed.
        case cancelled
    }

    /// The step's number, from 1, in the order of declaration.
    public var step: Int
    /// The number of steps in all branches.
    public var of: Int
    public var name: String
    public var state: State
    /// The reason why the step failed.
    public var message: String?

    public init(step: Int, of: Int, name: String, state: State, message: String? = nil) {
        self.step = step
        self.of = of
        self.name = name
        self.state = state
        self.message = message
    }
}

/// The outcome of a workflow.
public enum WorkflowEnd: Sendable {
    /// Every branch has finished.
    case completed
    /// The first step failed with this error; the others were cancelled.
    case failed(any Error)
    case cancelled
}

/// One run of a workflow.
@MainActor
public final class WorkflowRun {
    private let graph: StepGraph
    private let report: @MainActor (WorkflowProgress) -> Void
    private let conclude: @MainActor (WorkflowEnd) -> Void
    private let total: Int
    private var task: Task<Void, Never>?
    private var isCancelled = false
    private var outcome: WorkflowEnd?
    private var waiters: [CheckedContinuation<WorkflowEnd, Never>] = []
    /// The newest report on each step that has begun and not ended.
    public private(set) var current: [WorkflowProgress] = []

    init(
        graph: StepGraph, report: @escaping @MainActor (WorkflowProgress) -> Void,
        conclude: @escaping @MainActor (WorkflowEnd) -> Void
    ) {
        self.graph = graph
        self.report = report
        self.conclude = conclude
        total = graph.committed.count
    }

    /// Waits for the end and returns how the workflow ended.
    public var end: WorkflowEnd {
        get async {
            if let outcome { return outcome }
            return await withCheckedContinuation { waiters.append($0) }
        }
    }

    public var hasEnded: Bool { outcome != nil }

    /// Cancels the steps in flight; the end follows when they have returned. Does nothing after the
    /// end.
    public func cancel() {
        isCancelled = true
        task?.cancel()
    }

    // MARK: - Running

    func start(_ input: StepInput) {
        task = Task.immediate { [self] in
            let end: WorkflowEnd
            do {
                try await run(graph.roots, input)
                end = isCancelled ? .cancelled : .completed
            } catch {
                end = isCancelled ? .cancelled : .failed(error)
            }
            finish(end)
        }
    }

    private func finish(_ end: WorkflowEnd) {
        outcome = end
        task = nil
        conclude(end)
        let waiters = waiters
        self.waiters = []
        for waiter in waiters { waiter.resume(returning: end) }
    }

    /// Runs steps that have the same input, and the steps after them, side by side; the first that
    /// fails cancels the others.
    private func run(_ steps: [StepNode], _ input: StepInput) async throws {
        guard steps.count != 1 else { return try await run(steps[0], input) }
        try await withThrowingTaskGroup { branches in
            for (step, input) in zip(steps, input.copies(steps.count)) {
                let branch = { @MainActor @Sendable in try await self.run(step, input) }
                branches.addTask(operation: branch)
            }
            for try await _ in branches {}
        }
    }

    private func run(_ step: StepNode, _ input: StepInput) async throws {
        let output: StepInput
        do {
            output = try await perform(step, input)
        } catch {
            let isCause = !Task.isCancelled
            tell(step, isCause ? .failed : .cancelled, isCause ? "\(error)" : nil)
            throw error
        }
        tell(step, .done)
        try await run(step.following, output)
    }

    private func perform(_ step: StepNode, _ input: StepInput) async throws -> StepInput {
        if !(await input.isActive) {
            tell(step, .waiting)
            await input.waitUntilActive()
        }
        try Task.checkCancellation()
        guard let item = input.take() else { throw WorkflowError.nodeIsGone(step: step.name) }
        tell(step, .running)
        let (next, value) = try await step.body(item, input.value)
        try Task.checkCancellation()
        return StepInput(next, value)
    }

    private func tell(_ step: StepNode, _ state: WorkflowProgress.State, _ message: String? = nil) {
        let progress = WorkflowProgress(
            step: position(of: step), of: total, name: step.name, state: state, message: message)
        current.removeAll { $0.step == progress.step }
        if state == .waiting || state == .running { current.append(progress) }
        report(progress)
    }

    /// Steps that do not run are not counted.
    private func position(of step: StepNode) -> Int {
        graph.committed.count { $0.number <= step.number }
    }
}
