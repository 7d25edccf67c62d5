// DurableInteractorTests: an interactor that `@Durable` was written on, as it runs.

import NapkinCore
import Testing

@Durable
private final actor ListInteractor: Interactable {
    @Message
    fileprivate struct State: DurableState {
        var items: [Int]
    }

    var state: State
    @Volatile private var first = 1, second = 2
    nonisolated let lifecycle = InteractorLifecycle()

    init(count: Int) {
        state = State(items: [])
        state.items = Array(repeating: first + second, count: count)
    }

    /// Returns the item after the change, and whether the items are where they were.
    func change(_ index: Int, to item: Int) -> (item: Int, isInPlace: Bool) {
        let before = state.items.withUnsafeBufferPointer(\.baseAddress)
        state.items[index] = item
        return (state.items[index], state.items.withUnsafeBufferPointer(\.baseAddress) == before)
    }
}

@Suite("A durable interactor")
struct DurableInteractorTests {
    /// An observer that named the old state would copy it at each change.
    @Test func `a change does not copy the state`() async {
        let (item, isInPlace) = await ListInteractor(count: 1000).change(3, to: 4)
        #expect(item == 4)
        #expect(isInPlace)
    }

    @Test func `a host finds out that it is durable`() {
        let interactor: any Interactable = ListInteractor(count: 1)
        #expect(interactor is any DurableInteractable)
    }
}
