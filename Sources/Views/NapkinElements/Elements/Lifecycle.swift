// Lifecycle: a view's actions when it appears, changes and disappears.
//
// Ownership  a site keeps its view's task, cancelled when the view disappears or is covered.

extension View {
    /// Returns the view with an action for when it appears, or is uncovered.
    public func onAppear(perform action: @escaping () -> Void) -> some View {
        evaluating { $0.lifetime.appear = action }
    }

    /// Returns the view with an action for when it disappears, or is covered by a page.
    public func onDisappear(perform action: @escaping () -> Void) -> some View {
        evaluating { $0.lifetime.disappear = action }
    }

    /// Returns the view with a task. It starts when the view appears, and is cancelled when the
    /// view disappears or is covered.
    public func task(_ action: @escaping @MainActor () async -> Void) -> some View {
        task(id: 0, action)
    }

    /// Returns the view with a task that restarts when `id` changes.
    public func task<ID: Equatable>(
        id: ID, _ action: @escaping @MainActor () async -> Void
    ) -> some View {
        evaluating { context in
            let memory = context.memory { TaskMemory<ID>(id) }
            let lifetime = context.lifetime
            lifetime.appear = { memory.start(action) }
            lifetime.disappear = { memory.stop() }
            if memory.id != id {
                memory.id = id
                context.turn.atEnd { lifetime.restart() }
            }
        }
    }

    /// Returns the view with an action for any change of a value. As in SwiftUI, it also runs when
    /// the view itself changes the value, for example by emptying a field.
    public func onChange<Value: Equatable>(
        of value: Value, initial: Bool = false,
        _ action: @escaping (_ old: Value, _ new: Value) -> Void
    ) -> some View {
        evaluating { context in
            let memory = context.memory { ChangeMemory<Value>() }
            let old = memory.value
            memory.value = value
            if let old, old != value { context.turn.atEnd { action(old, value) } }
            if old == nil, initial { context.turn.atEnd { action(value, value) } }
        }
    }

    /// Returns the view with an action for any change of a value.
    public func onChange<Value: Equatable>(
        of value: Value, initial: Bool = false, _ action: @escaping () -> Void
    ) -> some View {
        onChange(of: value, initial: initial) { _, _ in action() }
    }
}

/// A view's task.
private final class TaskMemory<ID>: ElementMemory {
    static var outlivesWorker: Bool { true }
    var id: ID
    private var task: Task<Void, Never>?

    init(_ id: ID) { self.id = id }

    func start(_ action: @escaping @MainActor () async -> Void) {
        task?.cancel()
        task = Task { await action() }
    }

    func stop() { task.take()?.cancel() }

    isolated deinit { task?.cancel() }
}

/// The value of a view's last evaluation.
private final class ChangeMemory<Value>: ElementMemory {
    static var outlivesWorker: Bool { true }
    var value: Value?
}
