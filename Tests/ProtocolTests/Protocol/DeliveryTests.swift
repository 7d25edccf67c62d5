// DeliveryTests: what waits for a front, by class, at its limits.

import NapkinProtocol
import TestSupport
import Testing

/// The output of one front that is shown the tree.
private struct Sender {
    var output = Output()
    var all = SharedOutput()

    init() { output.treeShown(&all) }

    mutating func state(_ key: StateKey, _ flow: Output.Flow = .revocable) -> Output.Due {
        output.stateChanged(key, flow, &all)
    }

    mutating func effect(_ frame: [UInt8], _ flow: Output.Flow = .revocable) -> Output.Due {
        output.effectPresented(frame, flow, &all)
    }

    mutating func ordered(_ frame: [UInt8], _ flow: Output.Flow = .revocable) -> Output.Due {
        output.mustArrive(frame, flow, &all)
    }

    @discardableResult
    mutating func log(
        _ key: StateKey, to end: UInt64, _ flow: Output.Flow = .revocable
    ) -> Output.Due {
        output.logGrew(key, to: end, flow, &all)
    }

    mutating func next(_ flow: Output.Flow = .open) -> Output.Step? { output.next(flow, &all) }

    mutating func drained(_ flow: Output.Flow = .open) -> [Output.Step] {
        var steps: [Output.Step] = []
        while let step = next(flow) { steps.append(step) }
        return steps
    }
}

struct DeliveryTests {
    private func key(_ node: UInt32, _ method: UInt32 = 1) -> StateKey {
        StateKey(node: node, method: method)
    }

    @Test func `a state that waits is replaced in its place`() {
        var sender = Sender()
        #expect(sender.state(key(1)) == .atEndOfTurn)
        #expect(sender.effect([1]) == .atEndOfTurn)
        #expect(sender.state(key(2)) == .atEndOfTurn)
        #expect(sender.state(key(1)) == .never)
        #expect(sender.output.mergedStates == 1)
        #expect(sender.drained() == [.state(key(1)), .frames([1]), .state(key(2))])
        #expect(sender.state(key(1)) == .atEndOfTurn)
    }

    @Test func `memory of states is bounded by their keys`() {
        var sender = Sender()
        for round in 0..<100_000 { _ = sender.state(key(UInt32(round % 7)), .slow) }
        #expect(sender.output.count == 7)
    }

    @Test(arguments: [3, 8, 9, 30])
    func `any number of states waits once each, in the order of their offers`(keys: UInt32) {
        var random = Randomness(seed: UInt64(keys))
        var sender = Sender()
        var model: [StateKey] = []
        for _ in 0..<20_000 {
            if Int.random(in: 0..<3, using: &random) == 0 {
                #expect(sender.next() == model.first.map { .state($0) })
                if !model.isEmpty { model.removeFirst() }
            } else {
                let key = key(
                    .random(in: 0..<keys, using: &random), .random(in: 0...1, using: &random))
                #expect(sender.state(key) == (model.contains(key) ? .never : .atEndOfTurn))
                if !model.contains(key) { model.append(key) }
            }
            #expect(sender.output.waitingStates == model.count)
        }
    }

    @Test(arguments: [-1, 0, 1], [Output.Flow.revocable, .slow])
    func `effects that cannot be sent are limited exactly, then counted`(
        offset: Int, flow: Output.Flow
    ) {
        var sender = Sender()
        for _ in 0..<(Limits.effectQueueMax + offset) { _ = sender.effect([0], flow) }
        #expect(sender.output.count == min(Limits.effectQueueMax, Limits.effectQueueMax + offset))
        let dropped = max(0, offset)
        #expect(sender.output.droppedEffects == dropped)
        #expect(
            sender.next()
                == (dropped > 0 ? .skipped(Skipped(effects: dropped)) : .frames([0])))
        _ = sender.next()
        #expect(sender.effect([1], flow) == .atEndOfTurn)
    }

    @Test(arguments: [-1, 0, 1]) func `effects are limited in bytes, too`(offset: Int) {
        var sender = Sender()
        let half = [UInt8](repeating: 0, count: Limits.effectQueueBytesMax / 2)
        #expect(sender.effect(half) == .atEndOfTurn)
        let rest = [UInt8](repeating: 0, count: half.count + offset)
        #expect(sender.effect(rest) == (offset <= 0 ? .atEndOfTurn : .never))
        #expect(!sender.drained().isEmpty)
        #expect(sender.effect(rest) == .atEndOfTurn)
    }

    @Test func `an effect that is larger than that waits alone`() {
        var sender = Sender()
        let large = [UInt8](repeating: 0, count: Limits.effectQueueBytesMax + 1)
        #expect(sender.effect(large) == .atEndOfTurn)
        #expect(sender.effect([0]) == .never)
    }

    @Test(arguments: [-1, 0, 1]) func `what must arrive overflows exactly`(offset: Int) {
        var sender = Sender()
        let half = [UInt8](repeating: 0, count: Limits.orderedBacklogBytesMax / 2)
        #expect(sender.ordered(half, .slow) == .atEndOfTurn)
        let rest = [UInt8](repeating: 0, count: half.count + offset)
        #expect(sender.ordered(rest, .slow) == (offset <= 0 ? .atEndOfTurn : .overflow))
    }

    @Test(arguments: [
        (Output.Flow.open, Output.Due.now, Output.Due.now, Output.Due.now),
        (.revocable, .never, .atEndOfTurn, .now),
        (.slow, .never, .atEndOfTurn, .overflow),
    ])
    func `past a limit, what is due depends on whether it can be sent`(
        _ flow: Output.Flow, effect: Output.Due, ordered: Output.Due, tooMuch: Output.Due
    ) {
        var sender = Sender()
        for _ in 0..<Limits.effectQueueMax { _ = sender.effect([0]) }
        #expect(sender.effect([1], flow) == effect)
        #expect(sender.ordered([2], flow) == ordered)
        let most = [UInt8](repeating: 3, count: Limits.orderedBacklogBytesMax)
        #expect(sender.ordered(most, flow) == tooMuch)
    }

    @Test func `of more than is kept of what may be taken back, the oldest goes`() {
        var sender = Sender()
        let most = [UInt8](repeating: 3, count: Limits.orderedBacklogBytesMax)
        _ = sender.effect([1])
        _ = sender.ordered([2])
        #expect(sender.next(.revocable) == nil)
        #expect(sender.ordered(most) == .now)
        #expect(sender.drained(.revocable) == [.frames([1]), .frames([2])])
        #expect(sender.drained() == [.frames(most)])
    }

    @Test func `order is kept over any number of rounds`() {
        var sender = Sender()
        var expected: [UInt8] = []
        var seen: [UInt8] = []
        var random = Randomness(seed: 7)
        for round in 0..<50_000 {
            let byte = UInt8(truncatingIfNeeded: round)
            if Bool.random(using: &random) || sender.output.count < 1500 {
                #expect(sender.ordered([byte]) == .atEndOfTurn)
                expected.append(byte)
            }
            while sender.output.count > 2000, case .frames(let frame)? = sender.next() {
                seen += frame
            }
        }
        for case .frames(let frame) in sender.drained() { seen += frame }
        #expect(seen == expected)
        #expect(sender.output.isEmpty)
    }

    @Test func `a log waits once for a slow front, in its first place`() {
        var sender = Sender()
        sender.log(key(1), to: 1, .slow)
        _ = sender.effect([1], .slow)
        sender.log(key(1), to: 2, .slow)
        #expect(sender.drained() == [.log(key(1), 0..<2), .frames([1])])
    }

    @Test func `a log's items keep their places otherwise`() {
        var sender = Sender()
        sender.log(key(1), to: 1)
        sender.log(key(2), to: 1)
        sender.log(key(1), to: 2)
        _ = sender.effect([1])
        sender.log(key(1), to: 3)
        #expect(
            sender.drained() == [
                .log(key(1), 0..<2), .log(key(2), 0..<1), .frames([1]), .log(key(1), 2..<3),
            ])
    }

    @Test func `what waits before an item is sent at once, if that is possible`() {
        var sender = Sender()
        #expect(sender.log(key(1), to: 1, .open) == .atEndOfTurn)
        _ = sender.state(key(2), .open)
        #expect(sender.log(key(1), to: 2, .revocable) == .atEndOfTurn)
        #expect(sender.log(key(1), to: 3, .slow) == .atEndOfTurn)
        _ = sender.effect([1], .open)
        #expect(sender.log(key(1), to: 4, .open) == .now)
        let steps = sender.drained()
        #expect(
            steps == [
                .log(key(1), 0..<1), .state(key(2)), .log(key(1), 1..<3), .frames([1]),
                .log(key(1), 3..<4),
            ])
        #expect(sender.log(key(1), to: 5, .open) == .atEndOfTurn)
    }

    @Test func `a log is sent before a state of its node that is newer, and only once`() {
        var sender = Sender()
        _ = sender.state(key(1))
        sender.log(key(1, 2), to: 1)
        sender.log(key(2, 2), to: 1)
        _ = sender.state(key(1))
        #expect(sender.next() == .log(key(1, 2), 0..<1))
        #expect(sender.next() == .state(key(1)))
        sender.log(key(1, 2), to: 2)
        #expect(sender.drained() == [.log(key(2, 2), 0..<1), .log(key(1, 2), 1..<2)])
        #expect(sender.output.isEmpty)
    }

    @Test func `items that are taken back are sent under their numbers later`() {
        var sender = Sender()
        sender.log(key(1), to: 3)
        #expect(sender.next() == .log(key(1), 0..<3))
        sender.output.logContinues(key(1), at: 2)
        sender.log(key(1), to: 3)
        #expect(sender.drained() == [.log(key(1), 2..<3)])
    }

    @Test func `memory of logs is bounded by their keys, whatever is taken out of its turn`() {
        var sender = Sender()
        for round in 0..<100_000 {
            _ = sender.state(key(UInt32(round % 7)), .slow)
            sender.log(key(UInt32(round % 7), 2), to: UInt64(round), .slow)
            while round % 2 == 0, let step = sender.next() {
                if case .state = step { break }
            }
            #expect(sender.output.count < 50)
        }
    }
}
