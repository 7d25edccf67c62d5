// ResumeFrontMoves: what a front of a ResumeWorld does.

import NapkinProtocol

extension ResumeWorld {
    mutating func call(_ index: Int) {
        let call = fronts[index].calls
        fronts[index].calls += 1
        fronts[index].outcomes.append(.open)
        if fronts[index].end.machine.hasCredit {
            send(call, fronts[index].end.machine.nextSequence, from: index)
        } else if !fronts[index].end.eventQueued(call) {
            fail("an attached front refuses call \(call)")
        }
    }

    private mutating func send(_ call: UInt8, _ sequence: UInt64, from index: Int) {
        let frame = EventFrame(sequence: sequence, call: call)
        fronts[index].end.eventSent(call, frame.bytes)
        put(.event(frame), from: index)
    }

    private mutating func put(_ message: Wired, from index: Int) {
        guard fronts[index].wire?.isOpenAtWorker == true else { return }
        fronts[index].wire?.toWorker.append(message)
    }

    private mutating func sendWaiting(_ index: Int) {
        while let (call, sequence) = fronts[index].end.creditGiven() {
            send(call, sequence, from: index)
        }
    }

    mutating func connect(_ index: Int) {
        let wires = fronts[index].wires
        fronts[index].wires += 1
        let previous = fronts[index].end.connected()
        fronts[index].wire = Wire(
            id: UInt64(index * 16) + wires, toWorker: [.attach(previous)])
    }

    mutating func frontLoses(_ index: Int) {
        guard var wire = fronts[index].wire else { return }
        fronts[index].wire = nil
        fronts[index].end.connectionEnded()
        guard wire.isOpenAtWorker else { return }
        cuts -= 1
        wire.toFront = []
        fronts[index].oldWires.append(wire)
    }

    mutating func frontTakes(_ index: Int, _ scope: ResumeScope) {
        guard let message = fronts[index].wire?.toFront.removeFirst() else { return }
        switch message {
        case .attached(let identity, let isResumed):
            let action = fronts[index].end.attachedReceived(
                Attached(identity, window: scope.window, isResumed: isResumed))
            guard case .attached(_, let ended, let frames) = action else {
                return fail("\(action)")
            }
            end(ended, of: index)
            for frame in EventFrame.split(frames) { put(.event(frame), from: index) }
            sendWaiting(index)
        case .answer(let frame):
            answer(frame, to: index)
        default: fail("\(message) arrived at a front")
        }
    }

    private mutating func answer(_ frame: AnswerFrame, to index: Int) {
        switch fronts[index].end.answerReceived(frame.sequence) {
        case .succeed(let call):
            let isKnown = frame.call != AnswerFrame.nobodyKnows
            end(call, isKnown ? .value : .unknown, of: index)
            if isKnown, frame.call != call { fail("call \(call) got the answer of \(frame.call)") }
        case .answerIgnored: break
        case let action: fail("\(action)")
        }
        sendWaiting(index)
        if let count = fronts[index].end.confirmation() { put(.received(count), from: index) }
    }

    mutating func end(_ ended: FrontEvents<UInt8>.Ended, of index: Int) {
        for call in ended.unknown { end(call, .unknown, of: index) }
        for call in ended.notExecuted { end(call, .notExecuted, of: index) }
    }

    mutating func end(_ call: UInt8, _ outcome: Outcome, of index: Int) {
        if fronts[index].outcomes[Int(call)] != .open { fail("call \(call) ended twice") }
        fronts[index].outcomes[Int(call)] = outcome
    }
}
