// FrozenTests: frames that versions 1.0 to 1.3 wrote are read, and written again to the same
// bytes; so are those that a later minor version may write.

import Foundation
import NapkinCoding
import NapkinProtocol
import Testing

/// A frame as it was recorded.
struct FrozenFrame: CustomTestStringConvertible, Sendable {
    var version: String
    var name: String
    var bytes: [UInt8]

    var testDescription: String { "\(version) \(name) \(bytes.count)" }
    var payload: ArraySlice<UInt8> { bytes[FrameHeader.byteCount...] }

    static let all = ["1.0", "1.1", "1.2", "1.3"].flatMap(recorded)

    private static func recorded(_ version: String) -> [FrozenFrame] {
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("Frozen/version-\(version).txt")
        // Without the file a test finds every kind absent.
        guard let text = try? String(contentsOf: file, encoding: .utf8) else { return [] }
        return text.split(separator: "\n").filter { !$0.hasPrefix("#") }.compactMap { line in
            let words = line.split(separator: " ")
            guard words.count == 2 else { return nil }
            let digits = Array(words[1].utf8)
            let bytes = stride(from: 0, to: digits.count - 1, by: 2).compactMap {
                UInt8(String(decoding: digits[$0...($0 + 1)], as: UTF8.self), radix: 16)
            }
            return FrozenFrame(version: version, name: String(words[0]), bytes: bytes)
        }
    }

    /// The payloads that are a map, where a later version may add a key.
    static let maps = all.filter { $0.payload.first.map { $0 >> 5 == 5 } ?? false }
}

struct FrozenTests {
    private func frame(_ bytes: [UInt8]) throws -> (FrameHeader, [UInt8]) {
        var decoder = FrameDecoder(limit: Limits.frameBytesMax)
        return try bytes.withUnsafeBytes { buffer in
            var rest = buffer
            let frame = try #require(try decoder.next(&rest))
            #expect(rest.isEmpty)
            return (frame.header, Array(frame.payload))
        }
    }

    /// Decodes a payload as its kind's type; gives the value, and its bytes today.
    private func reading(
        _ kind: FrameKind, _ payload: [UInt8]
    ) throws -> (value: String, bytes: [UInt8]) {
        func coded<T: Codable>(_ type: T.Type) throws -> (String, [UInt8]) {
            let value = try payload.withUnsafeBytes { bytes in
                var reader = CBORReader(bytes)
                let value = try reader.decodeContainers(type)
                try reader.expectEnd()
                return value
            }
            var writer = CBORWriter()
            try writer.encodeContainers(value)
            return ("\(value)", writer.copyBytes())
        }
        switch kind {
        case .hello: return try coded(Hello.self)
        case .welcome: return try coded(Welcome.self)
        case .refused, .goodbye: return try coded(Refusal.self)
        case .query: return try coded(Query.self)
        case .open: return try coded(Open.self)
        case .redirect: return try coded(Redirect.self)
        case .attach: return try coded(Attach.self)
        case .attached: return try coded(Attached.self)
        case .fault: return try coded(Fault.self)
        case .register: return try coded(Register.self)
        case .admit: return try coded(Admit.self)
        case .contractWanted: return try coded([String].self)
        case .openURL: return try coded(OpenURL.self)
        case .workflowStep: return try coded(WorkflowStep.self)
        case .workflowEnded: return try coded(WorkflowEnded.self)
        case .answer:
            let types: [any Codable.Type] = [
                [SessionInfo].self, [AppInfo].self, [SessionTree].self,
            ]
            for type in types {
                // Which of them it is, only the query says.
                if let answer = try? coded(type) { return answer }
            }
            return try coded(Bool.self)
        case .transition:
            let value = try payload.withUnsafeBytes { bytes in
                var reader = CBORReader(bytes)
                return try reader.read(Transition.self)
            }
            var writer = CBORWriter()
            try value.encode(into: &writer)
            return ("\(value)", writer.copyBytes())
        default:
            return ("", payload)
        }
    }

    @Test func `the records have every kind that versions 1.0 to 1.3 exchanged`() {
        let kinds = Set(FrozenFrame.all.map(\.name))
        let absent = Set(FrameKind.allCases.map { "\($0)" }).subtracting(kinds)
        let newer: Set = ["stateDelta", "skipped", "renamed", "measure", "measured"]
        #expect(absent == newer, "new in 1.4 and 1.5")
        for version in ["1.0", "1.1", "1.2", "1.3"] {
            #expect(FrozenFrame.all.count { $0.version == version } > 40)
        }
    }

    @Test(arguments: FrozenFrame.all)
    func `a frame of an older version is read, and written again`(frozen: FrozenFrame) throws {
        let (header, payload) = try frame(frozen.bytes)
        #expect("\(header.kind)" == frozen.name)
        let (_, bytes) = try reading(header.kind, payload)
        // The entries of a dictionary have another order in each process.
        guard header.kind != .attach else {
            #expect(bytes.sorted() == payload.sorted())
            return
        }
        #expect(bytes == payload)
        var writer = CBORWriter()
        let start = header.begin(in: &writer)
        writer.append(bytes)
        FrameHeader.finish(frameAt: start, in: &writer)
        #expect(writer.copyBytes() == frozen.bytes)
    }

    /// A query is an enum, whose one key is its case; a schema belongs to the core's tests.
    @Test(arguments: FrozenFrame.maps.filter { $0.name != "query" })
    func `a key that a later version adds is ignored`(frozen: FrozenFrame) throws {
        let (header, payload) = try frame(frozen.bytes)
        let (value, _) = try reading(header.kind, payload)
        let count = payload[0] & 0x1F
        try #require(count < 23)
        // "later": {"a": [1, null]}, in front of the others and after them.
        let later: [UInt8] = [0x65] + Array("later".utf8) + [0xA1, 0x61, 0x61, 0x82, 0x01, 0xF6]
        let others = Array(payload[1...])
        for longer in [later + others, others + later] {
            let read = try reading(header.kind, [0xA0 | (count + 1)] + longer).value
            // The entries of a dictionary have another order in each dictionary.
            #expect(header.kind == .attach ? read.sorted() == value.sorted() : read == value)
        }
    }

    @Test func `keys inside of lists may be added, too`() throws {
        let later: [UInt8] = [0x65] + Array("later".utf8) + [0x01]
        for frozen in FrozenFrame.all where ["answer", "transition"].contains(frozen.name) {
            let (header, payload) = try frame(frozen.bytes)
            // A list of one map.
            guard payload.count > 2, payload[0] == 0x81, payload[1] >> 5 == 5,
                header.kind != .transition || payload[1] != 0xA1
            else { continue }
            let longer = [payload[0], payload[1] + 1] + later + Array(payload[2...])
            let (old, new) = (
                try reading(header.kind, payload).value, try reading(header.kind, longer).value
            )
            #expect(old == new)
        }
    }

    @Test func `a reason that a later version gives is read by its sentence`() throws {
        var writer = CBORWriter()
        try writer.write(["code": "tooEarly", "message": "come back at noon"])
        let (value, _) = try reading(.refused, writer.copyBytes())
        #expect(value == "come back at noon")
        let refusal = try writer.copyBytes().withUnsafeBytes { bytes in
            var reader = CBORReader(bytes)
            return try reader.read(Refusal.self)
        }
        #expect(refusal == Refusal(.workerUnavailable, "come back at noon"))
    }

    @Test func `a query that a later version asks is an error and no trap`() throws {
        var writer = CBORWriter()
        try writer.write(["weather": ["at": "noon"]])
        #expect(throws: CBORError.self) { try reading(.query, writer.copyBytes()) }
    }

    @Test(arguments: [0, 9, 63, 67, 255] as [UInt8])
    func `a kind that is not known ends the connection`(kind: UInt8) throws {
        var bytes = try #require(FrozenFrame.all.first { $0.name == "ping" }).bytes
        bytes[4] = kind
        #expect(throws: FrameError.self) { try frame(bytes) }
    }
}
