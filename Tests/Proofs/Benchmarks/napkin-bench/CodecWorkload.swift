// CodecWorkload: what it costs to encode and to decode a message, without any process.
//
// Isolation  value; runs on the calling thread.

import CFloor
import FoundationEssentials
import NapkinCore

/// Times the coder through both doors, and Foundation's JSON coder beside it.
struct CodecWorkload {
    /// Encodings and decodings of each kind, over all rounds.
    var count: Int
    var processor: Int?

    /// The kinds take turns, so that all see the same machine; each figure is the median round.
    private static let rounds = 15

    func reports() throws -> [Report] {
        let item = CartItem.standard(1)
        let state = BenchState.standard()
        return [
            try report("codec event", item, PlainItem(item), divisor: 1),
            try report("codec state", state, PlainState(state), divisor: 10),
        ]
    }

    private func report<M: Message & Equatable, P: Codable & Equatable>(
        _ name: String, _ message: M, _ plain: P, divisor: Int
    ) throws -> Report {
        var report = Report(workload: name, processor: processor)
        let each = max(count / Self.rounds / divisor, 1)
        let subjects = [
            try subject(
                "message", message, encode: { try Self.direct(message, &$0) },
                decode: { try Self.direct(M.self, $0) }),
            try subject(
                "codable", plain, encode: { try Self.containers(plain, &$0) },
                decode: { try Self.containers(P.self, $0) }),
        ]
        var timings = Array(repeating: Timing(), count: subjects.count)
        var json = Timing()
        let encoder = JSONEncoder()
        let decoder = JSONDecoder()
        let text = try encoder.encode(plain)
        for _ in 0..<Self.rounds {
            for (index, subject) in subjects.enumerated() {
                try subject.run(each, &timings[index])
            }
            json.encodings.append(try Self.measure(each) { _ = try encoder.encode(plain) })
            json.decodings.append(
                try Self.measure(each) { _ = try decoder.decode(P.self, from: text) })
        }
        report.add("bytes", Double(subjects[0].bytes.count))
        for (subject, timing) in zip(subjects, timings) { timing.add(to: &report, subject.name) }
        report.add("json_bytes", Double(text.count))
        json.add(to: &report, "json")
        return report
    }

    /// One way to encode and decode one value; checked once that it does.
    private struct Subject {
        var name: String
        var bytes: [UInt8]
        var encode: (inout CBORWriter) throws -> Void
        var decode: (UnsafeRawBufferPointer) throws -> Void

        func run(_ count: Int, _ timing: inout Timing) throws {
            var writer = CBORWriter(capacity: 4096)
            timing.encodings.append(
                try CodecWorkload.measure(count) {
                    writer.removeAll()
                    try encode(&writer)
                })
            try bytes.withUnsafeBytes { buffer in
                timing.decodings.append(try CodecWorkload.measure(count) { try decode(buffer) })
            }
        }
    }

    private func subject<T: Equatable>(
        _ name: String, _ value: T,
        encode: @escaping (inout CBORWriter) throws -> Void,
        decode: @escaping (UnsafeRawBufferPointer) throws -> T
    ) throws -> Subject {
        var writer = CBORWriter()
        try encode(&writer)
        let bytes = writer.copyBytes()
        guard try bytes.withUnsafeBytes(decode) == value else {
            throw BenchError("the \(name) door does not decode what it encodes")
        }
        return Subject(
            name: name, bytes: bytes, encode: encode, decode: { _ = try decode($0) })
    }

    // MARK: - The two doors

    private static func direct<M: Message>(_ value: M, _ writer: inout CBORWriter) throws {
        try writer.write(value)
    }

    private static func direct<M: Message>(
        _ type: M.Type, _ bytes: UnsafeRawBufferPointer
    ) throws -> M {
        var reader = CBORReader(bytes)
        let value = try reader.read(type)
        try reader.expectEnd()
        return value
    }

    private static func containers<P: Codable>(_ value: P, _ writer: inout CBORWriter) throws {
        try writer.write(value)
    }

    private static func containers<P: Codable>(
        _ type: P.Type, _ bytes: UnsafeRawBufferPointer
    ) throws -> P {
        var reader = CBORReader(bytes)
        let value = try reader.read(type)
        try reader.expectEnd()
        return value
    }

    // MARK: - Measuring

    /// What one call took: nanoseconds, and allocations.
    private struct Sample {
        var nanoseconds: Double
        var allocations: Double
    }

    private struct Timing {
        var encodings: [Sample] = []
        var decodings: [Sample] = []

        func add(to report: inout Report, _ name: String) {
            for (what, samples) in [("encode", encodings), ("decode", decodings)] {
                let times = samples.map(\.nanoseconds).sorted()
                report.add("\(name)_\(what)_ns", times[times.count / 2])
                let allocations = samples.map(\.allocations).sorted()
                report.add("\(name)_\(what)_allocations", allocations[allocations.count / 2])
            }
        }
    }

    private static func measure(_ count: Int, _ body: () throws -> Void) throws -> Sample {
        let allocated = napkin_allocations()
        let start = Placement.now()
        for _ in 0..<count { try body() }
        let elapsed = Placement.now() - start
        return Sample(
            nanoseconds: Double(elapsed) / Double(count),
            allocations: Double(napkin_allocations() - allocated) / Double(count))
    }
}
