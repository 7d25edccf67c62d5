// CodingProbe: how much memory hostile payloads make a decoder ask for, and how long they take.
//
// Layer      test support. A process of its own: it counts what malloc is asked for.
// Isolation  main thread.
// Spec       Protocol/SPEC.md, section 12 (Limits)

import CFloor
import FuzzTargets
import Glibc
import NapkinCoding

/// A type that contains itself: every level of nesting is another array.
@Message
indirect enum Nest {
    case leaf
    case nest([Nest])
    case named([String: Nest])
}

/// The same through containers.
indirect enum PlainNest: Codable, Sendable {
    case leaf
    case nest([PlainNest])
    case named([String: PlainNest])
}

/// One payload that asks for much.
struct Bomb {
    var name: String
    var bytes: [UInt8]
}

enum Bombs {
    /// A head that declares `count`, in four bytes.
    private static func head(_ major: UInt8, _ count: Int) -> [UInt8] {
        [major | 26] + (0..<4).reversed().map { UInt8(truncatingIfNeeded: count >> ($0 * 8)) }
    }

    private static let nestKey: [UInt8] =
        [0xa1, 0x64] + Array("nest".utf8) + [0xa1, 0x62, 0x5f, 0x30]

    static let all = [
        Bomb(name: "an array of all that a frame can hold", bytes: padded(head(0x80, 60_000))),
        Bomb(name: "a map of all that a frame can hold", bytes: padded(head(0xa0, 30_000))),
        Bomb(name: "a string of 4 GiB", bytes: head(0x60, 0xffff_ffff)),
        Bomb(name: "bytes of 4 GiB", bytes: head(0x40, 0xffff_ffff)),
        Bomb(name: "a million levels of arrays", bytes: Array(repeating: 0x81, count: 1_000_000)),
        Bomb(name: "a million levels of tags", bytes: Array(repeating: 0xc1, count: 1_000_000)),
        Bomb(name: "an array that never ends", bytes: [0x9f] + Array(repeating: 0, count: 60_000)),
        Bomb(name: "a string in pieces", bytes: [0x7f] + Array(repeating: 0x61, count: 60_000)),
        Bomb(name: "arrays that declare all that is left, at each level", bytes: nested()),
        Bomb(name: "a map whose keys are all the same", bytes: sameKeys()),
        Bomb(
            name: "many small arrays",
            bytes: head(0x80, 30_000) + Array(repeating: 0x80, count: 30_000)),
        Bomb(
            name: "many empty texts",
            bytes: head(0x80, 60_000) + Array(repeating: 0x60, count: 60_000)),
    ]

    /// Frames of which little arrives: their length fields are all that is large.
    static let announced = [4096, 65_536, 1 << 24].map { length in
        Bomb(
            name: "a frame that announces \(length) bytes",
            bytes: [0, 8, 16, 24].map { UInt8(truncatingIfNeeded: length >> $0) }
                + Array(repeating: 1, count: 200))
    }

    private static func padded(_ head: [UInt8]) -> [UInt8] {
        head + Array(repeating: 0xf6, count: 60_000)
    }

    private static func nested() -> [UInt8] {
        var bytes: [UInt8] = []
        for _ in 0..<30 { bytes += nestKey + head(0x80, 60_000) }
        return padded(bytes)
    }

    private static func sameKeys() -> [UInt8] {
        var bytes = head(0xa0, 20_000)
        for _ in 0..<20_000 { bytes += [0x61, 0x61, 0x00] }
        return bytes
    }
}

/// What one payload cost one decoder.
struct Cost {
    var bytes: UInt64
    var seconds: Double
}

enum Probe {
    static func cost(_ body: () throws -> Void) -> Cost {
        let start = now()
        let before = napkin_allocated_bytes()
        do {
            try body()
        } catch {
            // Most are refused; what is counted is what that cost.
        }
        return Cost(bytes: napkin_allocated_bytes() - before, seconds: now() - start)
    }

    private static func now() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    private static func read<T>(
        _ bytes: [UInt8], _ body: (inout CBORReader) throws(CBORError) -> T
    ) throws(CBORError) {
        try bytes.withUnsafeBufferPointer { (buffer) throws(CBORError) in
            var reader = CBORReader(UnsafeRawBufferPointer(buffer))
            _ = try body(&reader)
            try reader.expectEnd()
        }
    }

    static func costs(of bytes: [UInt8]) -> [(reader: String, cost: Cost)] {
        [
            ("skip", cost { try read(bytes) { (reader) throws(CBORError) in try reader.skip() } }),
            ("Nest", cost { try read(bytes) { (r) throws(CBORError) in try r.read(Nest.self) } }),
            (
                "[Nest]",
                cost { try read(bytes) { (r) throws(CBORError) in try r.read([Nest].self) } }
            ),
            (
                "[String]",
                cost { try read(bytes) { (r) throws(CBORError) in try r.read([String].self) } }
            ),
            (
                "[[Int]]",
                cost { try read(bytes) { (r) throws(CBORError) in try r.read([[Int]].self) } }
            ),
            (
                "[String: Int]",
                cost { try read(bytes) { (r) throws(CBORError) in try r.read([String: Int].self) } }
            ),
            (
                "PlainNest",
                cost { try read(bytes) { (r) throws(CBORError) in try r.read(PlainNest.self) } }
            ),
            (
                "[PlainNest]",
                cost { try read(bytes) { (r) throws(CBORError) in try r.read([PlainNest].self) } }
            ),
            (
                "[String: PlainNest]",
                cost {
                    try read(bytes) { (r) throws(CBORError) in
                        try r.read([String: PlainNest].self)
                    }
                }
            ),
        ]
    }
}

@main
enum CodingProbe {
    /// Bytes that a decoder may ask for in all, for each byte of a payload, and besides.
    static let bytesPerByteMax = 64.0
    static let bytesBesides = 65_536.0
    static let secondsMax = 1.0

    /// The same payloads for all that reads a peer's; it traps at what is too much.
    @MainActor
    private static func measureReaders() {
        SizeFuzz.allocatedBytes = napkin_allocated_bytes
        for bomb in Bombs.all + Bombs.announced {
            for choice in UInt8.min ... .max {
                FuzzTarget.sizes.run([choice] + bomb.bytes)
                // For a delta: what is in front of it is the value.
                if choice == 1 || choice == 2 {
                    FuzzTarget.sizes.run([choice, 128] + bomb.bytes + bomb.bytes)
                }
            }
        }
    }

    @MainActor
    static func main() {
        var worst = 0.0
        var isGood = true
        for bomb in Bombs.all {
            for (reader, cost) in Probe.costs(of: bomb.bytes) {
                let multiple =
                    max(Double(cost.bytes) - bytesBesides, 0) / Double(bomb.bytes.count)
                worst = max(worst, multiple)
                guard multiple > bytesPerByteMax || cost.seconds > secondsMax else { continue }
                isGood = false
                print(
                    "\(bomb.name), read as \(reader): \(cost.bytes) bytes for "
                        + "\(bomb.bytes.count), \(cost.seconds) s")
            }
        }
        measureReaders()
        worst = max(worst, SizeFuzz.worst)
        print("at most \(worst) bytes for each byte, and \(bytesBesides) besides")
        exit(isGood ? EX_OK : EX_SOFTWARE)
    }
}
