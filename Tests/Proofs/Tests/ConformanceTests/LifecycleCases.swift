// LifecycleCases: section L.

extension Case {
    static let lifecycle: [Case] = [
        .inWorker("L1", "an interactor starts inactive", ["active: false"]),
        .inWorker(
            "L2", "activate makes it active", ["probe becomes active: true", "active: true"]),
        .inWorker("L3", "activate calls didBecomeActive", ["probe becomes active: true"]),
        .inWorker("L4", "activate is idempotent", ["probe becomes active: true"]),
        .inWorker(
            "L5", "deactivate makes it inactive",
            ["probe becomes active: true", "probe resigns: true", "active: false"]),
        .inWorker(
            "L6", "deactivate calls willResignActive",
            ["probe becomes active: true", "probe resigns: true"]),
        .inWorker("L7", "deactivate without activate does nothing", []),
        .inWorker(
            "L8", "isActiveStream: the current value, each distinct change, the end",
            [
                "current: Optional(false)", "probe becomes active: true", "then: Optional(true)",
                "probe resigns: true", "then: Optional(false)", "at last: nil",
            ]),
        .inWorker(
            "L9", "didBecomeActive sees isActive == true",
            ["probe becomes active: true", "sees true"]),
        .inWorker(
            "L10", "willResignActive sees isActive == true",
            ["probe becomes active: true", "probe resigns: true", "sees true"]),
        .inWorker(
            "L11", "100 concurrent deactivations make one willResignActive",
            ["probe becomes active: true", "probe resigns: true", "active: false"]),
        .inWorker(
            "L12", "a bound task is cancelled after willResignActive; deactivate waits for it",
            [
                "probe becomes active: true", "probe resigns: true", "cancelled", "inactive",
                "probe becomes active: true", "probe resigns: true", "inactive, with 1 overdue",
            ]),
        .inWorker(
            "L13", "nothing is presented after deactivate returns",
            [
                "child becomes active: true", "child loads", "child resigns: true", "states: 0",
                "front:", "+ probe in left (embed)", "- probe",
            ]),
        .inWorker(
            "L14", "task{} on an inactive scope never runs",
            ["probe becomes active: true", "probe resigns: true", "tasks: 0"]),
        .inWorker(
            "L15", "activate during deactivate ends active",
            [
                "probe becomes active: true", "probe resigns: true", "asked to be active again",
                "probe becomes active: true", "active: true",
            ]),
        .inWorker(
            "L16", "deactivate during didBecomeActive leaves no task behind",
            [
                "probe becomes active: true", "probe resigns: true", "task ended",
                "active: false", "tasks: 0",
            ]),
        .inWorker(
            "L17", "10,000 finished tasks leave an empty set",
            ["probe becomes active: true", "tasks: 0"]),
        .inWorker(
            "L18", "activating again runs didBecomeActive again",
            [
                "probe becomes active: true", "probe resigns: true", "probe becomes active: true",
                "probe resigns: true",
            ]),
        .inWorker(
            "L19", "streams keep the newest value only; nothing is unbounded",
            [
                "a scope: [true]", "a StateCell: [1000]",
                "an EventBus for 4: [997, 998, 999, 1000]",
            ]),
    ]
}
