// LimitVectorTests: the golden vectors of limits, one below each, at it, and one above.

import NapkinCoding
import NapkinProtocol
import TestSupport
import Testing

struct LimitVectorTests {
    @Test(arguments: Vector.all(.limits)) func `limits`(_ vector: Vector) throws {
        let bytes = try vector.bytes
        var error: String?
        do {
            switch vector["check"]?.text {
            case "frame": try frame(bytes, limit: #require(vector["limit"]?.unsigned))
            case "item": try item(bytes)
            case "message":
                let name = vector["kind"]?.text
                let kind = try #require(FrameKind.allCases.first { "\($0)" == name })
                if [.state, .event].contains(kind) {
                    try item(bytes)
                } else {
                    _ = try MessageMeaning.of(kind, to: nil, bytes)
                }
            default: Issue.record("an unknown check")
            }
        } catch let failure as CBORError {
            error = "\(failure.code)"
        } catch let refusal as Refusal {
            error = refusal.code.rawValue
        } catch let failure as FrameError {
            error = failure.name
        }
        #expect(error == vector.error)
        #expect(vector.means == (error == nil ? .object(["accepted": .bool(true)]) : nil))
    }

    private func frame(_ bytes: [UInt8], limit: UInt64) throws {
        try bytes.withUnsafeBytes { buffer in
            var decoder = FrameDecoder(limit: Int(limit))
            var rest = buffer
            let isWhole = try decoder.next(&rest) != nil
            #expect(isWhole)
            #expect(rest.isEmpty)
        }
    }

    private func item(_ bytes: [UInt8]) throws {
        try bytes.withUnsafeBytes { buffer in
            var reader = CBORReader(buffer)
            try reader.skip()
            try reader.expectEnd()
        }
    }
}
