// DeltaTests: a delta makes the new value, byte for byte, and says no more than what has changed.

import TestSupport
import Testing

@testable import NapkinCoding

@Suite struct DeltaTests {
    private func table(_ rows: [AnyItem]) -> AnyItem {
        .map([(.text("title"), .text("Queue")), (.text("rows"), .array(rows))])
    }

    private func row(_ id: UInt64, _ note: String) -> AnyItem {
        .map([
            (.text("id"), .unsigned(id)), (.text("note"), .text(note)),
            (.text("price"), .float(Double(id) / 3)),
        ])
    }

    private func rows(_ ids: Range<UInt64>) -> [AnyItem] {
        ids.map { row($0, "row number \($0), as long as a line is") }
    }

    private func apply(_ delta: [UInt8], to old: [UInt8]) throws(CBORError) -> [UInt8] {
        try apply(delta, to: old, bytesMax: 1 << 20)
    }

    private func apply(
        _ delta: [UInt8], to old: [UInt8], bytesMax: Int
    ) throws(CBORError) -> [UInt8] {
        try delta.withUnsafeBufferPointer { (bytes) throws(CBORError) in
            try CBORDelta.apply(UnsafeRawBufferPointer(bytes), to: old, bytesMax: bytesMax)
        }
    }

    /// The bytes of the delta, which must lead from one to the other.
    private func bytes(_ old: AnyItem, _ new: AnyItem) throws -> Int {
        let (before, after) = (try #require(old.written), try #require(new.written))
        let delta = try #require(CBORDelta.encoded(from: before, to: after))
        #expect(try apply(delta, to: before) == after)
        return delta.count
    }

    @Test func `a field that changes costs its bytes and a splice`() throws {
        var changed = rows(0..<200)
        changed[150] = row(150, "row number 150, as SHORT as a line is")
        // 200 rows of 60 bytes; one word in one of them.
        #expect(try bytes(table(rows(0..<200)), table(changed)) <= 24)
    }

    @Test func `changes far apart do not bring what is between`() throws {
        var changed = rows(0..<200)
        changed[3] = row(3, "another text")
        changed[190] = row(190, "yet another text")
        #expect(try bytes(table(rows(0..<200)), table(changed)) <= 80)
    }

    @Test func `elements that come, go or move along cost themselves`() throws {
        let all = rows(0..<200)
        var inserted = all
        inserted.insert(row(1000, "new"), at: 77)
        #expect(try bytes(table(all), table(inserted)) <= 64)
        var removed = all
        removed.remove(at: 12)
        #expect(try bytes(table(all), table(removed)) <= 24)
        // A window of the last 200 lines of a log.
        let slid = Array(all[5...]) + rows(200..<205)
        #expect(try bytes(table(all), table(slid)) <= 5 * 64 + 24)
        // At once: one gone, one new, one changed.
        inserted.remove(at: 140)
        inserted[20] = row(20, "changed")
        #expect(try bytes(table(all), table(inserted)) <= 140)
    }

    @Test func `elements that change places, or a page further, cost themselves`() throws {
        let all = rows(0..<200)
        var swapped = all
        swapped.swapAt(20, 150)
        #expect(try bytes(table(all), table(swapped)) <= 90)
        swapped.swapAt(90, 91)
        #expect(try bytes(table(all), table(swapped)) <= 150)
        // Another page of a long list, whose heading changes, too.
        var paged = Array(all[100...]) + rows(200..<300)
        paged[0] = row(100, "where the page begins")
        paged[150] = row(250, "in its middle")
        let page = try #require(table(rows(200..<300)).written).count
        #expect(try bytes(table(all), table(paged)) <= page + 100)
    }

    @Test func `a text that grows costs what is added`() throws {
        let text = String(repeating: "So it goes. ", count: 500)
        #expect(try bytes(.text(text), .text(text + "And on.")) <= 24)
        #expect(
            try bytes(table([.text(text)]), table([.text(text + "And on."), .text("Next")])) <= 40)
    }

    @Test func `keys that come and go cost their pairs`() throws {
        let keys = (0..<100).map { (key: AnyItem.text("key \($0)"), value: AnyItem.unsigned($0)) }
        var changed = keys
        changed.remove(at: 40)
        changed[70].value = .unsigned(1_000_000)
        changed.append((.text("late"), .bool(true)))
        #expect(try bytes(.map(keys), .map(changed)) <= 48)
    }

    @Test func `a value that has changed throughout is sent whole`() throws {
        let old = try #require(AnyItem.text(String(repeating: "a", count: 300)).written)
        let new = try #require(AnyItem.text(String(repeating: "b", count: 300)).written)
        #expect(CBORDelta.encoded(from: old, to: new) == nil)
        #expect(CBORDelta.encoded(from: [], to: new) == nil)
        #expect(CBORDelta.encoded(from: [0x9f, 1, 2], to: new) == nil)
    }

    @Test func `random changes of random values arrive`() throws {
        var numbers = Randomness(seed: 2026)
        var (deltas, wholes) = (0, 0)
        for _ in 0..<2000 {
            let old = item(4, &numbers)
            let new = mutated(old, &numbers)
            let (before, after) = (try #require(old.written), try #require(new.written))
            guard let delta = CBORDelta.encoded(from: before, to: after) else {
                wholes += 1
                continue
            }
            deltas += 1
            #expect(delta.count < after.count)
            #expect(try apply(delta, to: before) == after)
        }
        #expect(deltas > 400, "\(deltas) deltas, \(wholes) whole")
    }

    @Test func `bytes that repeat themselves arrive, wherever they change`() throws {
        var numbers = Randomness(seed: 7)
        var deltas = 0
        for round in 0..<500 {
            // Few different words: each run of one value is in many places of the other.
            let words = (0..<3).map { word in
                [UInt8](repeating: UInt8(word), count: .random(in: 1...24, using: &numbers))
            }
            var old: [UInt8] = []
            for _ in 0..<round { old += words[Int.random(in: 0..<3, using: &numbers)] }
            var new = old
            for _ in 0..<Int.random(in: 0...6, using: &numbers) {
                let start = Int.random(in: 0...new.count, using: &numbers)
                let end = min(new.count, start + Int.random(in: 0...40, using: &numbers))
                new.replaceSubrange(
                    start..<end, with: words[Int.random(in: 0..<3, using: &numbers)])
            }
            guard let delta = CBORDelta.encoded(from: old, to: new) else { continue }
            deltas += 1
            #expect(try apply(delta, to: old) == new)
        }
        #expect(deltas > 400)
    }

    private func item(_ depth: Int, _ numbers: inout Randomness) -> AnyItem {
        switch Int.random(in: 0..<(depth == 0 ? 4 : 8), using: &numbers) {
        case 0: return .unsigned(.random(in: 0...70_000, using: &numbers))
        case 1: return .bool(.random(using: &numbers))
        case 2: return .float(.random(in: 0...1, using: &numbers))
        case 3: return .text(text(&numbers))
        case 4, 5:
            let count = Int.random(in: 0..<30, using: &numbers)
            return .array((0..<count).map { _ in item(depth - 1, &numbers) })
        default:
            let count = Int.random(in: 0..<8, using: &numbers)
            return .map((0..<count).map { (.text("k\($0)"), item(depth - 1, &numbers)) })
        }
    }

    private func text(_ numbers: inout Randomness) -> String {
        String(repeating: "x", count: .random(in: 0..<40, using: &numbers)) + "y"
    }

    /// Some of it replaced, left out, added or moved.
    private func mutated(_ old: AnyItem, _ numbers: inout Randomness) -> AnyItem {
        if Int.random(in: 0..<12, using: &numbers) == 0 { return item(2, &numbers) }
        switch old {
        case .array(var elements):
            switch Int.random(in: 0..<5, using: &numbers) {
            case 0:
                elements.insert(
                    item(1, &numbers), at: .random(in: 0...elements.count, using: &numbers))
            case 1 where !elements.isEmpty:
                elements.remove(at: .random(in: 0..<elements.count, using: &numbers))
            case 2: elements.shuffle(using: &numbers)
            default:
                guard let index = elements.indices.randomElement(using: &numbers) else { break }
                elements[index] = mutated(elements[index], &numbers)
            }
            return .array(elements)
        case .map(var pairs):
            switch Int.random(in: 0..<5, using: &numbers) {
            case 0: pairs.append((.text("new"), item(1, &numbers)))
            case 1 where !pairs.isEmpty:
                pairs.remove(at: .random(in: 0..<pairs.count, using: &numbers))
            case 2: pairs.shuffle(using: &numbers)
            default:
                guard let index = pairs.indices.randomElement(using: &numbers) else { break }
                pairs[index].value = mutated(pairs[index].value, &numbers)
            }
            return .map(pairs)
        case .text(let text): return .text(text + "z")
        default: return item(0, &numbers)
        }
    }

    // MARK: - From a peer

    @Test func `a delta for another value, or beyond its end, is an error`() throws {
        let old = try #require(table(rows(0..<3)).written)
        func delta(_ parts: [AnyItem]) throws -> [UInt8] {
            try #require(AnyItem.array(parts).written)
        }
        let size = AnyItem.unsigned(UInt64(old.count))
        #expect(try apply(try delta([size]), to: old) == old)
        let refused: [[AnyItem]] = [
            [], [.unsigned(UInt64(old.count + 1))], [size, .unsigned(0)],
            [size, .unsigned(0), .unsigned(0)],
            [size, .unsigned(UInt64(old.count + 1)), .unsigned(0), .bytes([])],
            [size, .unsigned(1), .unsigned(UInt64(old.count)), .bytes([])],
            [size, .negative(0), .unsigned(0), .bytes([])],
            [size, .unsigned(UInt64(Int.max)), .unsigned(UInt64(Int.max)), .bytes([])],
            [size, .unsigned(.max), .unsigned(0), .bytes([])],
            [size, .unsigned(0), .unsigned(0), .text("not bytes")],
        ]
        for parts in refused {
            #expect(throws: CBORError.self) { try apply(try delta(parts), to: old) }
        }
        #expect(throws: CBORError.self) { try apply([], to: old) }
        let long = try delta([size, .unsigned(0), .unsigned(0), .bytes([1, 2, 3, 4])])
        #expect(throws: CBORError.self) { try apply(long, to: old, bytesMax: old.count + 3) }
        #expect(try apply(long, to: old, bytesMax: old.count + 4).count == old.count + 4)
    }

    @Test func `deltas with a few bytes changed never trap`() throws {
        var numbers = Randomness(seed: 52)
        let old = try #require(table(rows(0..<20)).written)
        let new = try #require(table(rows(3..<25)).written)
        let delta = try #require(CBORDelta.encoded(from: old, to: new))
        for _ in 0..<20_000 {
            var bytes = delta
            for _ in 0..<Int.random(in: 1...3, using: &numbers) {
                let place = Int.random(in: 0..<bytes.count, using: &numbers)
                bytes[place] = UInt8.random(in: .min ... .max, using: &numbers)
            }
            // Nothing is expected but to come back: a changed number may be right, too.
            _ = code { _ = try apply(bytes, to: old) }
        }
    }
}
