// Transcript: what passed on one connection, for whoever reads of a violation.

import NapkinCoding
import NapkinProtocol

/// The last frames of a connection, both ways.
struct Transcript {
    /// Frames kept. Several sequences' worth. Chosen.
    static let framesMax = 64

    private struct Line {
        var isSent: Bool
        var header: FrameHeader
        var payload: [UInt8]
    }

    private var lines: [Line] = []
    private var dropped = 0

    mutating func sent(_ header: FrameHeader, _ payload: [UInt8]) {
        append(Line(isSent: true, header: header, payload: payload))
    }

    mutating func received(_ header: FrameHeader, _ payload: UnsafeRawBufferPointer) {
        append(Line(isSent: false, header: header, payload: Array(payload.prefix(512))))
    }

    private mutating func append(_ line: Line) {
        if lines.count >= 2 * Self.framesMax {
            lines.removeFirst(Self.framesMax)
            dropped += Self.framesMax
        }
        lines.append(line)
    }

    var text: String {
        let head = dropped > 0 ? ["  (\(dropped) earlier frames)"] : []
        return (head + lines.map(Self.describe)).joined(separator: "\n")
    }

    private static func describe(_ line: Line) -> String {
        let header = line.header
        var text = line.isSent ? "  > \(header.kind)" : "  < \(header.kind)"
        if header.flags != 0 { text += " flags \(header.flags)" }
        if header.node != 0 { text += " node \(header.node)" }
        if header.epoch != 0 { text += " epoch \(String(header.epoch, radix: 16))" }
        if header.sequence != 0 { text += " sequence \(header.sequence)" }
        if header.method != 0 {
            text += " " + (Method.name(header.method) ?? String(header.method, radix: 16))
        }
        if !line.payload.isEmpty { text += " " + CBORDiagnostic.describe(line.payload) }
        return text
    }
}
