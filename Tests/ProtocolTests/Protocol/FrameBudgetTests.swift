// FrameBudgetTests: which unfinished frames are given up, and when.

import Testing

@testable import NapkinProtocol

@Suite struct FrameBudgetTests {
    @Test func `a frame that ends in time is given up by nobody`() {
        var budget = FrameBudget(bytesMax: 100, peerBytesMax: 50)
        let frame = budget.frameBegan(of: 7)
        #expect(budget.frameGrew(frame, to: 50) == [])
        budget.frameEnded(frame)
        #expect(budget.isEmpty)
        #expect(budget.bytes == 0)
        for _ in 0..<20 { #expect(budget.checked() == []) }
    }

    @Test func `a frame has its time, and no look more`() {
        var budget = FrameBudget(bytesMax: 100, peerBytesMax: 50)
        let checks = Limits.unfinishedSeconds * 1000 / FrameBudget.checkMilliseconds
        let first = budget.frameBegan(of: 7)
        #expect(budget.checked() == [])
        let second = budget.frameBegan(of: 7)
        for _ in 1..<checks { #expect(budget.checked() == []) }
        #expect(budget.checked() == [first])
        #expect(budget.checked() == [second])
        #expect(budget.isEmpty)
    }

    @Test func `who keeps too much loses the oldest of what is its own`() {
        var budget = FrameBudget(bytesMax: 1000, peerBytesMax: 50)
        let other = budget.frameBegan(of: 1)
        #expect(budget.frameGrew(other, to: 50) == [])
        let first = budget.frameBegan(of: 2)
        let second = budget.frameBegan(of: 2)
        #expect(budget.frameGrew(first, to: 30) == [])
        #expect(budget.frameGrew(second, to: 20) == [])
        #expect(budget.frameGrew(second, to: 21) == [first])
        #expect(budget.bytes == 71)
        budget.frameEnded(first)
        #expect(budget.bytes == 71)
    }

    @Test func `past the budget of the process the oldest goes, whoever sent it`() {
        var budget = FrameBudget(bytesMax: 100, peerBytesMax: 50)
        let frames = (1...3).map { budget.frameBegan(of: Int32($0)) }
        #expect(budget.frameGrew(frames[0], to: 40) == [])
        #expect(budget.frameGrew(frames[1], to: 40) == [])
        #expect(budget.frameGrew(frames[2], to: 20) == [])
        #expect(budget.frameGrew(frames[2], to: 21) == [frames[0]])
        #expect(budget.bytes == 61)
    }

    @Test func `one frame that is too large for its peer goes itself`() {
        var budget = FrameBudget(bytesMax: 100, peerBytesMax: 50)
        let frame = budget.frameBegan(of: 7)
        #expect(budget.frameGrew(frame, to: 51) == [frame])
        #expect(budget.frameGrew(frame, to: 60) == [])
        #expect(budget.isEmpty)
    }

    @Test func `at random, what is kept is within the budget and accounted for`() {
        var random = SystemRandomNumberGenerator()
        var budget = FrameBudget(bytesMax: 1000, peerBytesMax: 300)
        var kept: [UInt64: (peer: Int32, bytes: Int)] = [:]
        for _ in 0..<20_000 {
            switch Int.random(in: 0..<4, using: &random) {
            case 0:
                let peer = Int32.random(in: 0..<6, using: &random)
                kept[budget.frameBegan(of: peer)] = (peer, 0)
            case 1, 2:
                guard let number = kept.keys.randomElement(using: &random) else { continue }
                let bytes = (kept[number]?.bytes ?? 0) + Int.random(in: 0...80, using: &random)
                kept[number]?.bytes = bytes
                for gone in budget.frameGrew(number, to: bytes) { kept[gone] = nil }
            default:
                guard let number = kept.keys.randomElement(using: &random) else { continue }
                budget.frameEnded(number)
                kept[number] = nil
            }
            for gone in budget.checked() { kept[gone] = nil }
            #expect(budget.bytes == kept.values.reduce(0) { $0 + $1.bytes })
            #expect(budget.bytes <= 1000)
            let shares = Dictionary(grouping: kept.values, by: \.peer)
            #expect(shares.values.allSatisfy { $0.reduce(0) { $0 + $1.bytes } <= 300 })
        }
    }
}
