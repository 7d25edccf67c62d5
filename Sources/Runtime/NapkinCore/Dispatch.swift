// Dispatch: makes an asynchronous call from a view's synchronous handler.

/// Starts `action` immediately, up to its first suspension, so that two taps stay in order.
///
/// Call it from a view: `dispatch { [weak self] in await self?.listener.didTapBack() }`.
@MainActor
@discardableResult
public func dispatch(
    priority: TaskPriority? = nil, _ action: @escaping @MainActor () async -> Void
) -> Task<Void, Never> {
    Task.immediate(priority: priority) { await action() }
}
