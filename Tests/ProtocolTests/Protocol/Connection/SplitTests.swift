// SplitTests: every message of every kind, split at every byte; two ends back to back.

import NapkinCoding
import NapkinProtocol
import Testing

struct SplitTests {
    private func taken(_ transcript: Transcript, _ pieces: [ArraySlice<UInt8>]) -> [WireEnd.Taken] {
        let stream = WireEnd.Stream(transcript.role, attachedAfter: transcript.attachedAfter)
        for piece in pieces { stream.take(piece) }
        #expect(stream.broken == nil)
        return stream.taken
    }

    @Test func `wherever bytes are split, the same frames have the same consequences`() {
        var kinds: Set<FrameKind> = []
        for transcript in Transcript.all {
            let bytes = transcript.bytes
            let whole = taken(transcript, [bytes[...]])
            #expect(whole.count == transcript.frames.count)
            for one in whole {
                kinds.insert(one.header.kind)
                if case .end(.say(_, let refusal)) = one.action { Issue.record("\(refusal)") }
            }
            for split in bytes.indices {
                #expect(taken(transcript, [bytes[..<split], bytes[split...]]) == whole)
            }
            let single = bytes.indices.map { bytes[$0...$0] }
            #expect(taken(transcript, single) == whole)
        }
        #expect(kinds == Set(FrameKind.allCases))
    }

    @Test func `noise ends a connection, and traps nothing`() {
        var random = SystemRandomNumberGenerator()
        for transcript in Transcript.all {
            for _ in 0..<300 {
                var bytes = transcript.bytes
                for _ in 0..<Int.random(in: 1...4, using: &random) {
                    let place = Int.random(in: 0..<bytes.count, using: &random)
                    bytes[place] = UInt8.random(in: 0...255, using: &random)
                }
                let stream = WireEnd.Stream(
                    transcript.role, attachedAfter: transcript.attachedAfter)
                stream.take(bytes)
                let closed = stream.machine.transportFailed(nil)
                #expect(closed == .close(.peerClosed) || closed == .none)
            }
        }
    }
}
