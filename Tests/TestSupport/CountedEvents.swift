// CountedEvents: a bus's events, for tests of who takes them and when.

package import NapkinCore

/// A bus's events, which count how often one has been asked for.
package struct CountedEvents: AsyncSequence, Sendable {
    package struct Iterator: AsyncIteratorProtocol {
        var base: BufferedStream<Int>.Iterator
        let asked: StateCell<Int>

        package mutating func next() async -> Int? { await next(isolation: #isolation) }

        package mutating func next(isolation actor: isolated (any Actor)?) async -> Int? {
            asked.update { $0 += 1 }
            return await base.next(isolation: actor)
        }
    }

    private let base: BufferedStream<Int>
    private let asked = StateCell(0)

    package init(_ bus: EventBus<Int>) { base = bus.events }

    package func makeAsyncIterator() -> Iterator {
        Iterator(base: base.makeAsyncIterator(), asked: asked)
    }

    /// Returns when `count` have been taken, and the next one is asked for.
    package func areTaken(_ count: Int) async {
        for await asked in asked.values where asked > count { return }
    }
}
