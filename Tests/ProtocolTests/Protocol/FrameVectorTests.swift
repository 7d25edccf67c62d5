// FrameVectorTests: the golden vectors of framing, whole and cut at every byte.

import NapkinProtocol
import TestSupport
import Testing

struct FrameVectorTests {
    private struct Stream: Equatable {
        var frames: [JSONValue] = []
        var error: String?
        var rest = 0
    }

    private func decode(_ pieces: [ArraySlice<UInt8>], limit: Int) -> Stream {
        var decoder = FrameDecoder(limit: limit)
        var stream = Stream()
        for piece in pieces {
            do throws(FrameError) {
                try feed(&decoder, Array(piece), &stream)
            } catch {
                stream.error = error.name
                return stream
            }
        }
        stream.rest = decoder.bufferedBytes
        return stream
    }

    private func feed(
        _ decoder: inout FrameDecoder, _ piece: [UInt8], _ stream: inout Stream
    ) throws(FrameError) {
        var failure: FrameError?
        piece.withUnsafeBytes { bytes in
            var rest = bytes
            do throws(FrameError) {
                while let frame = try decoder.next(&rest) { stream.frames.append(frame.json) }
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
    }

    @Test(arguments: Vector.all(.frames)) func `frames`(_ vector: Vector) throws {
        let bytes = try vector.bytes
        let limit = Int(try #require(vector["limit"]?.unsigned))
        var wanted = Stream(error: vector.error)
        if let means = vector.means?.object {
            wanted.frames = try #require(means["frames"]?.array)
            wanted.rest = Int(try #require(means["rest"]?.unsigned))
        } else {
            wanted.frames = try #require(vector["before"]?.array)
        }
        #expect(decode([bytes[...]], limit: limit) == wanted)
        for cut in 0...bytes.count {
            let found = decode([bytes[..<cut], bytes[cut...]], limit: limit)
            #expect(found == wanted, "cut at \(cut)")
        }
    }

    @Test func `every kind of a frame is in a vector`() throws {
        let named = Set(
            Vector.all(.frames).flatMap { $0.means?.object?["frames"]?.array ?? [] }
                .compactMap { $0.object?["kind"]?.unsigned })
        #expect(named == Set(FrameKind.allCases.map { UInt64($0.rawValue) }))
    }
}

extension Frame {
    fileprivate var json: JSONValue {
        let hex = payload.map { byte in
            String(byte >> 4, radix: 16) + String(byte & 15, radix: 16)
        }
        return .object([
            "kind": .integer(Int64(header.kind.rawValue)),
            "flags": .integer(Int64(header.flags)), "node": .integer(Int64(header.node)),
            "epoch": .integer(Int64(header.epoch)),
            "sequence": Int64(exactly: header.sequence).map(JSONValue.integer)
                ?? .unsigned(header.sequence),
            "method": .integer(Int64(header.method)), "payload": .text(hex.joined()),
        ])
    }
}

extension FrameError {
    /// Its name in section 10 of the specification.
    var name: String {
        switch self {
        case .tooLong: "tooLong"
        case .tooShort: "tooShort"
        case .unknownKind: "unknownKind"
        case .reservedBitsSet: "reservedBitsSet"
        }
    }
}
