// DeliveryTests: what waits for a front, by class, at its limits.

import NapkinProtocol
import TestSupport
import Testing

struct DeliveryTests {
    private func key(_ node: UInt32, _ method: UInt32 = 1) -> OutboundQueue.StateKey {
        OutboundQueue.StateKey(node: node, method: method)
    }

    private func drained(_ queue: inout OutboundQueue) -> [OutboundQueue.Item] {
        var items: [OutboundQueue.Item] = []
        while let item = queue.next() { items.append(item) }
        return items
    }

    @Test func `a state that waits is replaced in its place`() {
        var queue = OutboundQueue()
        #expect(queue.offerState(key(1)) == .queued)
        #expect(queue.offerEffect([1]) == .queued)
        #expect(queue.offerState(key(2)) == .queued)
        #expect(queue.offerState(key(1)) == .merged)
        #expect(queue.mergedStates == 1)
        let items = drained(&queue)
        #expect(items == [.state(key(1)), .effect([1]), .state(key(2))])
        #expect(queue.offerState(key(1)) == .queued)
    }

    @Test func `memory of states is bounded by their keys`() {
        var queue = OutboundQueue()
        for round in 0..<100_000 { _ = queue.offerState(key(UInt32(round % 7))) }
        #expect(queue.count == 7)
    }

    @Test(arguments: [3, 8, 9, 30])
    func `any number of states waits once each, in the order of their offers`(keys: UInt32) {
        var random = Randomness(seed: UInt64(keys))
        var queue = OutboundQueue()
        var model: [OutboundQueue.StateKey] = []
        for _ in 0..<20_000 {
            if Int.random(in: 0..<3, using: &random) == 0 {
                #expect(queue.next() == model.first.map { .state($0) })
                if !model.isEmpty { model.removeFirst() }
            } else {
                let key = key(
                    .random(in: 0..<keys, using: &random), .random(in: 0...1, using: &random))
                #expect(queue.offerState(key) == (model.contains(key) ? .merged : .queued))
                if !model.contains(key) { model.append(key) }
            }
            #expect(queue.waitingStates == model.count)
        }
    }

    @Test(arguments: [-1, 0, 1]) func `effects are limited exactly, then counted`(offset: Int) {
        var queue = OutboundQueue()
        for _ in 0..<(Limits.effectQueueMax + offset) { _ = queue.offerEffect([0]) }
        #expect(queue.count == min(Limits.effectQueueMax, Limits.effectQueueMax + offset))
        #expect(queue.droppedEffects == max(0, offset))
        _ = queue.next()
        #expect(queue.offerEffect([1]) == .queued)
    }

    @Test(arguments: [-1, 0, 1]) func `effects are limited in bytes, too`(offset: Int) {
        var queue = OutboundQueue()
        let half = [UInt8](repeating: 0, count: Limits.effectQueueBytesMax / 2)
        #expect(queue.offerEffect(half) == .queued)
        let rest = [UInt8](repeating: 0, count: half.count + offset)
        #expect(queue.offerEffect(rest) == (offset <= 0 ? .queued : .dropped))
        while queue.next() != nil {}
        #expect(queue.offerEffect(rest) == .queued)
    }

    @Test func `an effect that is larger than that waits alone`() {
        var queue = OutboundQueue()
        let large = [UInt8](repeating: 0, count: Limits.effectQueueBytesMax + 1)
        #expect(queue.offerEffect(large) == .queued)
        #expect(queue.offerEffect([0]) == .dropped)
    }

    @Test(arguments: [-1, 0, 1]) func `what must arrive overflows exactly`(offset: Int) {
        var queue = OutboundQueue()
        let half = [UInt8](repeating: 0, count: Limits.orderedBacklogBytesMax / 2)
        #expect(queue.offerOrdered(half) == .queued)
        let rest = [UInt8](repeating: 0, count: half.count + offset)
        #expect(queue.offerOrdered(rest) == (offset <= 0 ? .queued : .overflow))
    }

    @Test func `order is kept over any number of rounds`() {
        var queue = OutboundQueue()
        var expected: [UInt8] = []
        var seen: [UInt8] = []
        var random = Randomness(seed: 7)
        for round in 0..<50_000 {
            let byte = UInt8(truncatingIfNeeded: round)
            if Bool.random(using: &random) || queue.count < 1500 {
                #expect(queue.offerOrdered([byte]) == .queued)
                expected.append(byte)
            }
            while queue.count > 2000, case .ordered(let frame)? = queue.next() { seen += frame }
        }
        for case .ordered(let frame) in drained(&queue) { seen += frame }
        #expect(seen == expected)
        #expect(queue.isEmpty)
    }

    @Test func `a log waits once, in its first place`() {
        var queue = OutboundQueue()
        queue.offerLog(key(1))
        #expect(queue.endsWithLog)
        _ = queue.offerEffect([1])
        queue.offerLog(key(1))
        #expect(!queue.endsWithLog)
        let items = drained(&queue)
        #expect(items == [.log(key(1)), .effect([1])])
    }

    @Test func `a log that is taken out of its turn is not sent twice`() {
        var queue = OutboundQueue()
        _ = queue.offerState(key(1))
        queue.offerLog(key(1, 2))
        queue.offerLog(key(2, 2))
        #expect(queue.next() == .state(key(1)))
        #expect(queue.takeLogs(of: 1) == [key(1, 2)])
        queue.offerLog(key(1, 2))
        let items = drained(&queue)
        #expect(items == [.log(key(2, 2)), .log(key(1, 2))])
        #expect(queue.isEmpty)
    }

    @Test func `memory of logs is bounded by their keys, whatever is taken out of its turn`() {
        var queue = OutboundQueue()
        for round in 0..<100_000 {
            _ = queue.offerState(key(UInt32(round % 7)))
            queue.offerLog(key(UInt32(round % 7), 2))
            if round % 2 == 0, case .state(let key)? = queue.next() {
                _ = queue.takeLogs(of: key.node)
            }
            #expect(queue.count < 50)
        }
    }
}
