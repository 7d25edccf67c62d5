// ControlLineTests: requests of napkind and their answers, both ends, and misuse.

import NapkinCoding
import NapkinProtocol
import Testing

struct ControlLineTests {
    private typealias Machine = ControlLineStateMachine

    private func standing() -> (napkind: ControlLineStateMachine, worker: ControlLineStateMachine) {
        var (napkind, worker) = (Machine(role: .napkind), Machine(role: .worker))
        worker.registerSent()
        #expect(napkind.requested() == .refuseLost)
        #expect(napkind.frameReceived(FrameHeader(.register)) == .takeRegistration)
        return (napkind, worker)
    }

    @Test func `two ends back to back: answers in any order reach those who asked`() {
        var (napkind, worker) = standing()
        for (number, kind) in [(UInt64(1), FrameKind.admit), (2, .query), (3, .query)] {
            #expect(napkind.requested() == .send(number))
            let header = FrameHeader(kind, sequence: number)
            #expect(worker.frameReceived(header) == .takeRequest(number))
        }
        for number: UInt64 in [2, 3, 1] {
            #expect(worker.answered(number) == true)
            #expect(worker.answered(number) == false)
            let answer = FrameHeader(.answer, sequence: number)
            #expect(napkind.frameReceived(answer) == .endRequest(number))
        }
        #expect(napkind.openRequests == 0 && worker.openRequests == 0)
    }

    @Test func `a drained worker still answers what it was asked, and takes nobody in`() {
        var (napkind, worker) = standing()
        #expect(napkind.requested() == .send(1))
        #expect(worker.frameReceived(FrameHeader(.query, sequence: 1)) == .takeRequest(1))
        napkind.drainSent()
        #expect(napkind.requested() == .refuseLost)
        #expect(worker.frameReceived(FrameHeader(.drain)) == .drain)
        #expect(worker.frameReceived(FrameHeader(.drain)) == .ignore)
        #expect(worker.frameReceived(FrameHeader(.admit, sequence: 2)) == .ignore)
        #expect(napkind.frameReceived(FrameHeader(.answer, sequence: 1)) == .endRequest(1))
    }

    @Test func `an answer that comes too late is nobody's, and is owed until then`() {
        var (napkind, _) = standing()
        for number in 1...Limits.controlRequestsMax {
            #expect(napkind.requested() == .send(UInt64(number)))
        }
        #expect(napkind.requestOverdue(1) == true)
        #expect(napkind.requestOverdue(1) == false)
        #expect(napkind.requestOverdue(UInt64(Limits.controlRequestsMax) + 1) == false)
        #expect(napkind.requested() == .refuseExcess)
        #expect(napkind.frameReceived(FrameHeader(.answer, sequence: 1)) == .ignore)
        #expect(
            napkind.frameReceived(FrameHeader(.answer, sequence: 1))
                == .violation("an answer to 1, which was not asked"))
        #expect(napkind.requested() == .send(UInt64(Limits.controlRequestsMax) + 1))
        #expect(napkind.frameReceived(FrameHeader(.answer, sequence: 2)) == .endRequest(2))
        #expect(napkind.requestOverdue(2) == false)
        #expect(napkind.requestOverdue(3) == true)
        // Of the others it is told; who does not wait has heard already.
        let lost = napkind.connectionEnded()
        #expect(lost.first == 4 && lost.count == Limits.controlRequestsMax - 2)
    }

    @Test func `what makes no sense is a violation, and what is lost is told`() {
        var (napkind, worker) = standing()
        #expect(
            napkind.frameReceived(FrameHeader(.answer, sequence: 7))
                == .violation("an answer to 7, which was not asked"))
        // It holds more sessions by now.
        #expect(napkind.frameReceived(FrameHeader(.register)) == .takeRegistration)
        #expect(
            napkind.frameReceived(FrameHeader(.redirect))
                == .violation("a frame of the kind redirect from a worker, where none is due"))
        #expect(worker.frameReceived(FrameHeader(.admit, sequence: 4)) == .takeRequest(4))
        #expect(
            worker.frameReceived(FrameHeader(.admit, sequence: 4))
                == .violation("request 4 after request 4"))
        #expect(
            worker.frameReceived(FrameHeader(.event))
                == .violation("a frame of the kind event from napkind, where none is due"))
        #expect(napkind.requested() == .send(1))
        #expect(napkind.requested() == .send(2))
        #expect(napkind.connectionEnded() == [1, 2])
        #expect(napkind.connectionEnded() == [])
        #expect(napkind.requested() == .refuseLost)
        #expect(napkind.frameReceived(FrameHeader(.answer, sequence: 1)) == .ignore)
    }

    @Test(arguments: [-1, 0, 1]) func `requests without answers are limited exactly`(offset: Int) {
        var (napkind, _) = standing()
        for number in 1..<UInt64(Limits.controlRequestsMax + offset) {
            #expect(napkind.requested() == .send(number))
        }
        let last = napkind.requested()
        let number = UInt64(Limits.controlRequestsMax + offset)
        #expect(last == (offset > 0 ? .refuseExcess : .send(number)))
    }

    @Test(arguments: [0, 1, 127, 128, 129, 1000])
    func `a register of any size is sent in frames that fit`(count: Int) throws {
        let names = (0..<count).map { number in
            String(repeating: "n", count: Limits.nameBytesMax - 4) + "\(1000 + number)"
        }
        let whole = Register(
            app: "house", pid: .max, socket: String(repeating: "s", count: 107), sessions: names,
            renamed: names.map { Renaming(session: $0, epoch: .max) })
        let parts = whole.parts
        #expect(parts.count == max(1, (count + 127) / 128))
        #expect(parts.flatMap(\.sessions) == names)
        #expect(parts.flatMap(\.renamed).map(\.session) == names)
        #expect(parts.dropLast().allSatisfy { $0.continues })
        #expect(parts.last?.continues == false)
        for part in parts {
            var writer = CBORWriter()
            try writer.write(part)
            #expect(writer.count + FrameHeader.byteCount <= Limits.controlFrameBytesMax)
        }
    }
}
