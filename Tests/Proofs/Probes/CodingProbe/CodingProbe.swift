// CodingProbe: how much memory hostile payloads make a decoder ask for, and how long they take.
//
// Layer      test support. A process of its own: it counts what malloc is asked for.
// Isolation  main thread.
// Spec       Protocol/SPEC.md, section 12 (Limits)

import CFloor
import FuzzTargets
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

@main
@MainActor
enum CodingProbe {
    /// Seconds that a payload may take a decoder. Chosen.
    private static let secondsMax = 1.0
    private static let types: [any Decodable.Type] = [
        Nest.self, [Nest].self, [String].self, [[Int]].self, [String: Int].self, PlainNest.self,
        [PlainNest].self, [String: PlainNest].self,
    ]

    /// Traps at what is too much.
    static func main() {
        SizeFuzz.allocatedBytes = napkin_allocated_bytes
        for bomb in Bombs.all {
            let seconds = ContinuousClock().measure {
                SizeFuzz.skip(bomb.bytes)
                for type in types { SizeFuzz.read(type, bomb.bytes) }
            }
            precondition(
                seconds < .seconds(secondsMax * Double(types.count + 1)),
                "\(bomb.name) takes \(seconds)")
        }
        // The same payloads for all that reads a peer's.
        for bomb in Bombs.all + Bombs.announced {
            for choice in UInt8.min ... .max {
                FuzzTarget.sizes.run([choice] + bomb.bytes)
                // For a delta: what is in front of it is the value.
                if choice == 1 || choice == 2 {
                    FuzzTarget.sizes.run([choice, 128] + bomb.bytes + bomb.bytes)
                }
            }
        }
        print(
            "at most \(SizeFuzz.worst) bytes for each byte, and \(SizeFuzz.bytesBesides) besides")
    }
}
