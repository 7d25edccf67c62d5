// LogWindowTests: what is kept of a log, against a plain array; what a peer may send of one.

import TestSupport
import Testing

@testable import NapkinCore

struct LogWindowTests {
    private func append(_ size: Int, to window: inout LogWindow) {
        [UInt8](repeating: 7, count: size).withUnsafeBytes { window.append($0) }
        window.trim()
    }

    @Test func `any sizes leave the newest items within the limits`() {
        var random = Randomness(seed: 31)
        let limits = LogLimits(items: 200, bytes: 65_536)
        var window = LogWindow(limits)
        var sizes: [Int] = []
        for number in 0..<20_000 {
            let size = Int.random(in: 1...(number % 50 == 0 ? 70_000 : 600), using: &random)
            append(size, to: &window)
            sizes.append(size)
            let kept = sizes.suffix(window.count)
            #expect(window.next == UInt64(sizes.count))
            #expect(window.first == UInt64(sizes.count - window.count))
            #expect(window.liveBytes == kept.reduce(0, +))
            #expect(window.count <= limits.items)
            #expect(window.liveBytes <= limits.bytes || window.count == 1)
            // Nothing is forgotten without need.
            let before = sizes.dropLast(window.count).last ?? .max / 2
            #expect(window.count == limits.items || window.liveBytes + before > limits.bytes)
        }
    }

    @Test(arguments: [-1, 0, 1]) func `a run ends exactly at its limit`(offset: Int) {
        var window = LogWindow(LogLimits())
        for _ in 0..<10 { append(100, to: &window) }
        #expect(window.run(from: 2, bytesMax: 300 + offset) == (offset < 0 ? 2 : 3))
        #expect(window.run(from: 2, bytesMax: 1) == 1)
        #expect(window.run(from: 10, bytesMax: 300) == 0)
    }

    @Test(arguments: [-1, 0, 1]) func `a tail begins exactly at its limit`(offset: Int) {
        var window = LogWindow(LogLimits())
        for _ in 0..<10 { append(100, to: &window) }
        #expect(window.start(bytes: 300 + offset) == (offset < 0 ? 8 : 7))
        #expect(window.start(bytes: 1) == 9)
        #expect(window.start(items: 3 + offset) == UInt64(7 - offset))
        #expect(window.start(from: 8, bytes: 300) == 8)
        #expect(window.start(before: 4, items: 2) == 2)
        #expect(window.start(from: 99) == 10)
    }

    @Test func `items that have arrived are left out, and missing ones are named`() throws {
        var logs = NodeLogs()
        let log = MethodID(rawValue: 1)
        var bytes: [UInt8] = [0x84, 0x02, 1, 2, 3]
        try bytes.withUnsafeBytes {
            let items = try LogItems(first: 5, payload: $0)
            #expect(logs.received(items, of: log).gap == LogGap(log: log, items: 0..<5, oldest: 2))
            let (again, gap) = logs.received(items, of: log)
            #expect(again.count == 0)
            #expect(gap == nil)
        }
        bytes = [0x83, 0x02, 3, 4]
        try bytes.withUnsafeBytes {
            let (new, gap) = logs.received(try LogItems(first: 7, payload: $0), of: log)
            #expect(new.payloads == [Payload([4])])
            #expect(new.first == 8)
            #expect(gap == nil)
        }
        #expect(logs[log]?.next == 9)
        #expect(logs[log]?.first == 5)
    }

    @Test(
        arguments: [
            [], [0x80], [0x81, 0x61, 0x61], [0x82, 0x00], [0x82, 0x00, 1, 2], [0x81, 0x06],
            [0x9b, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff], [0xa0],
        ] as [[UInt8]])
    func `bytes that are no items are refused`(bytes: [UInt8]) {
        bytes.withUnsafeBytes { bytes in
            let error = #expect(throws: CBORError.self) { try LogItems(first: 5, payload: bytes) }
            // Even without items, an array without the number of the oldest is too short.
            if bytes.elementsEqual([0x80]) { #expect(error?.code == .typeMismatch) }
        }
    }

    @Test func `items numbered beyond the last number are refused`() {
        let bytes: [UInt8] = [0x82, 0x00, 1]
        bytes.withUnsafeBytes { bytes in
            let last = UInt64(Int.max) - 1
            for first in [.max, last + 1] {
                _ = #expect(throws: CBORError.self) { try LogItems(first: first, payload: bytes) }
            }
            #expect(throws: Never.self) { try LogItems(first: last, payload: bytes) }
        }
    }

    private func items(_ first: UInt64, oldest: UInt8, anew: Bool) throws -> LogItems {
        try [0x82, 0x18, oldest, 7].withUnsafeBytes {
            // Its bytes are not read later.
            var items = try LogItems(first: first, payload: $0)
            items.beginsAnew = anew
            return items
        }
    }

    @Test(
        arguments: [
            // Numbers go on, and what is before the first item counts no longer.
            (5, 5, nil, 6), (6, 5, 5..<6, 7),
            // The same frame twice: nothing is new.
            (4, 4, nil, 5),
            // A former worker had fewer items, or more.
            (2, 2, nil, 3), (250, 250, nil, 251),
        ] as [(UInt64, UInt8, Range<UInt64>?, UInt64)])
    func `a log that begins anew has no gap before its beginning`(
        first: UInt64, oldest: UInt8, gap: Range<UInt64>?, next: UInt64
    ) throws {
        var logs = NodeLogs()
        let log = MethodID(rawValue: 1)
        _ = logs.received(try items(4, oldest: 4, anew: false), of: log)
        let received = logs.received(try items(first, oldest: oldest, anew: true), of: log)
        #expect(received.gap?.items == gap)
        #expect(received.new.count == 1)
        #expect(logs[log]?.next == next && logs[log]?.count == 1)
        #expect(logs[log]?.origin == UInt64(oldest))
    }

    @Test func `a log whose place is not recorded begins anew in the next block`() {
        let log = MethodID(rawValue: 1)
        var block: UInt64 = 0
        for _ in 1...3 {
            var logs = NodeLogs(startingAt: [log: block])
            [7].withUnsafeBytes { logs.append($0, to: log, keeping: LogLimits()) }
            #expect(logs[log]?.first == block && logs[log]?.origin == block)
            #expect(logs[log]?.nextBlock == block + 1 << 32)
            block += 1 << 32
        }
        // An exact place: the log goes on.
        var logs = NodeLogs(startingAt: [log: 12])
        [7].withUnsafeBytes { logs.append($0, to: log, keeping: LogLimits()) }
        #expect(logs[log]?.first == 12 && logs[log]?.origin == 0)
    }
}
