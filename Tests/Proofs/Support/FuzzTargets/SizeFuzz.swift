// SizeFuzz: what bytes make whoever reads them ask for in memory.
//
// Isolation  @MainActor: the counter is its own thread's.
// Spec       Protocol/SPEC.md, section 12 (Limits)

import NapkinCoding
import NapkinProtocol

/// Holds what is allocated against what has arrived.
@MainActor
public enum SizeFuzz {
    /// Bytes that may be asked for in all, freed or not, for each byte that arrived, and besides.
    /// Chosen: the worst that is known takes half of it.
    public static let bytesPerByteMax = 64
    public static let bytesBesides = 65_536
    /// Bytes that this thread has asked for so far. Without it everything is read, and nothing
    /// measured.
    public static var allocatedBytes: (() -> UInt64)?
    /// The most that was asked for beyond `bytesBesides`, for each byte.
    public private(set) static var worst = 0.0

    /// The first byte chooses: 0 is a stream of frames, 1 a value and a delta to it, 2 two values
    /// of which a delta is made; any other the kind of a frame with this payload.
    static func run(_ bytes: [UInt8]) {
        guard let first = bytes.first else { return }
        let rest = Array(bytes.dropFirst())
        switch first {
        case 0: readStream(rest)
        case 1: applyDelta(rest)
        case 2: makeDelta(rest)
        default:
            guard let kind = FrameKind(rawValue: first) else { return }
            for type in ControlFuzz.types(of: kind) { read(type, rest) }
            if kind == .transition { readTransition(rest) }
        }
    }

    private static func measure(_ what: String, _ arrived: Int, _ body: () throws -> Void) {
        let before = allocatedBytes?() ?? 0
        do {
            try body()
        } catch {
            // Most are refused; what is counted is what that cost.
        }
        let asked = Int((allocatedBytes?() ?? 0) - before)
        guard asked > bytesBesides else { return }
        let multiple = Double(asked - bytesBesides) / Double(max(arrived, 1))
        worst = max(worst, multiple)
        precondition(
            multiple <= Double(bytesPerByteMax),
            "\(what) asks for \(asked) bytes when \(arrived) have arrived")
    }

    /// Frames announce up to what a worker takes, whatever comes of it; in pieces as from a socket.
    private static func readStream(_ bytes: [UInt8]) {
        measure("a stream", bytes.count) {
            var decoder = FrameDecoder(limit: Limits.frameBytesMax)
            try bytes.withUnsafeBytes { all in
                for start in stride(from: 0, to: all.count, by: 4096) {
                    var piece = UnsafeRawBufferPointer(
                        rebasing: all[start..<min(start + 4096, all.count)])
                    while try decoder.next(&piece) != nil {}
                }
            }
        }
    }

    public static func read<T: Decodable>(_ type: T.Type, _ bytes: [UInt8]) {
        measure("\(type)", bytes.count) { _ = try ControlFuzz.decode(type, bytes) }
    }

    public static func skip(_ bytes: [UInt8]) {
        measure("what is passed over", bytes.count) {
            try bytes.withUnsafeBytes { buffer in
                var reader = CBORReader(buffer)
                try reader.skip()
            }
        }
    }

    private static func readTransition(_ bytes: [UInt8]) {
        measure("a transition", bytes.count) {
            try bytes.withUnsafeBytes { buffer in
                var reader = CBORReader(buffer)
                _ = try Transition(from: &reader)
            }
        }
    }

    /// Two parts of the bytes: the first says how long, in 256ths.
    private static func parts(_ bytes: [UInt8]) -> (old: [UInt8], new: [UInt8]) {
        let rest = bytes.dropFirst()
        let middle = rest.count * Int(bytes.first ?? 0) / 256
        return (Array(rest.prefix(middle)), Array(rest.dropFirst(middle)))
    }

    private static func applyDelta(_ bytes: [UInt8]) {
        let (old, delta) = parts(bytes)
        measure("a delta", bytes.count) {
            try delta.withUnsafeBytes {
                _ = try CBORDelta.apply($0, to: old, bytesMax: Limits.frameBytesMax)
            }
        }
    }

    private static func makeDelta(_ bytes: [UInt8]) {
        let (old, new) = parts(bytes)
        measure("the making of a delta", bytes.count) {
            _ = CBORDelta.encoded(from: old, to: new)
        }
    }
}
