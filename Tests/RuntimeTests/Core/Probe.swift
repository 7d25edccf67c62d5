// Probe: an interactor that writes down what happens to it, and does what a test tells it to.

import NapkinCore
import NapkinTesting

/// Hooks are set before activation; each gets the probe.
final actor Probe: Interactable, PagePresentableListener {
    typealias Hook = @Sendable (isolated Probe) async -> Void

    nonisolated let lifecycle: InteractorLifecycle
    nonisolated let name: String
    nonisolated let journal: Journal
    private let onActive: Hook
    private let onResign: Hook
    private var onTap: Hook = { _ in }

    init(
        _ name: String = "probe", journal: Journal = Journal(),
        lifecycle: InteractorLifecycle = InteractorLifecycle(),
        onActive: @escaping Hook = { _ in }, onResign: @escaping Hook = { _ in }
    ) {
        self.name = name
        self.journal = journal
        self.lifecycle = lifecycle
        self.onActive = onActive
        self.onResign = onResign
    }

    func onTap(_ hook: @escaping Hook) { onTap = hook }

    func didBecomeActive() async {
        journal.note("\(name) active \(isActive)")
        await onActive(self)
    }

    func willResignActive() async {
        journal.note("\(name) resigns \(isActive)")
        await onResign(self)
        journal.note("\(name) resigned")
    }

    func didTap() async { await onTap(self) }
}
