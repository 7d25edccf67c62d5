// ResumeWorkerMoves: what the worker of a ResumeWorld does.

import NapkinProtocol

extension ResumeWorld {
    mutating func workerTakes(_ index: Int, _ scope: ResumeScope) {
        guard var wire = fronts[index].wire else { return }
        let message = wire.toWorker.removeFirst()
        fronts[index].wire = wire
        if case .attach(let previous) = message {
            wire.front = attach(previous, index, wire.id, scope)
            fronts[index].wire?.front = wire.front
        } else {
            workerTakes(message, from: wire, scope)
        }
    }

    mutating func workerTakesLate(_ index: Int, _ number: Int, _ scope: ResumeScope) {
        let message = fronts[index].oldWires[number].toWorker.removeFirst()
        if case .attach(let previous) = message {
            let id = fronts[index].oldWires[number].id
            let front = attach(previous, index, id, scope)
            // The same connection may have another place now.
            let place = fronts[index].oldWires.firstIndex { $0.id == id }
            if let place { fronts[index].oldWires[place].front = front }
        } else {
            workerTakes(message, from: fronts[index].oldWires[number], scope)
        }
    }

    private mutating func attach(
        _ previous: SessionIdentity?, _ owner: Int, _ wire: UInt64, _ scope: ResumeScope
    ) -> UInt64 {
        let front: UInt64
        let isResumed: Bool
        switch worker.attendance.attachReceived(previous: previous, on: wire) {
        case .admit(let new):
            (front, isResumed) = (new, false)
            let end = WorkerEnd(new, flaw: scope.flaw)
            worker.records.append(RecordModel(front: new, owner: owner, end: end))
        case .resume(let known):
            (front, isResumed) = (known, true)
        }
        if let place = place(of: front) {
            if let old = worker.records[place].wire { close(old, of: owner, scope) }
            worker.records[place].wire = wire
            worker.records[place].end.attached()
        } else {
            fail("front \(front) is known and has no record")
        }
        let identity = SessionIdentity(front: front, epoch: worker.epoch)
        put(.attached(identity, isResumed: isResumed), to: wire, of: owner)
        return front
    }

    /// The worker closes a connection in place of which the front has another.
    private mutating func close(_ wire: UInt64, of owner: Int, _ scope: ResumeScope) {
        guard scope.flaw != .keepsTheOldConnection else { return }
        fronts[owner].oldWires.removeAll { $0.id == wire }
        guard fronts[owner].wire?.id == wire else { return }
        fronts[owner].wire?.isOpenAtWorker = false
        fronts[owner].wire?.toWorker = []
    }

    private func place(of front: UInt64) -> Int? {
        worker.records.firstIndex { $0.front == front }
    }

    private mutating func put(_ message: Wired, to wire: UInt64, of index: Int) {
        guard fronts[index].wire?.id == wire, fronts[index].wire?.isOpenAtWorker == true else {
            return
        }
        fronts[index].wire?.toFront.append(message)
    }

    /// Sends on whatever connection the record's front has.
    private mutating func put(_ frame: AnswerFrame, of place: Int) {
        let record = worker.records[place]
        guard let wire = fronts[record.owner].wire, wire.front == record.front else { return }
        put(.answer(frame), to: wire.id, of: record.owner)
    }

    mutating func workerTakes(_ message: Wired, from wire: Wire, _ scope: ResumeScope) {
        guard let front = wire.front, let place = place(of: front) else {
            return fail("\(message) from a front that is not attached")
        }
        guard worker.records[place].wire == wire.id || scope.flaw == .keepsTheOldConnection else {
            return
        }
        switch message {
        case .event(let event): take(event, place)
        case .received(let count):
            if case .violation(let what) = worker.records[place].end.receivedReceived(count) {
                fail(what)
            }
        default: fail("\(message) arrived at a worker")
        }
    }

    private mutating func take(_ event: EventFrame, _ place: Int) {
        switch worker.records[place].end.eventReceived(event.sequence) {
        case .run:
            worker.records[place].running.append(event)
            worker.applied[worker.records[place].owner].append(event.call)
        case .sendAgain(let frame):
            for answer in AnswerFrame.split(frame) { put(answer, of: place) }
        case .answerUnknown:
            let frame = AnswerFrame(sequence: event.sequence, call: AnswerFrame.nobodyKnows)
            worker.records[place].end.answerEncoded(event.sequence, frame.bytes)
            put(frame, of: place)
        case .ignore: break
        case .violation(let what): fail(what)
        case let action: fail("\(action) for event \(event.sequence)")
        }
    }

    mutating func finish(_ place: Int, _ number: Int) {
        let event = worker.records[place].running.remove(at: number)
        let frame = AnswerFrame(sequence: event.sequence, call: event.call)
        switch worker.records[place].end.handlerFinished(event.sequence) {
        case .send:
            worker.records[place].end.answerEncoded(event.sequence, frame.bytes)
            put(frame, of: place)
        case .keep: worker.records[place].end.answerEncoded(event.sequence, frame.bytes)
        case .ignore: fail("the handler of event \(event.sequence) is not known")
        }
    }

    mutating func workerLoses(_ index: Int) {
        guard let wire = fronts[index].wire else { return }
        cuts -= 1
        fronts[index].wire?.isOpenAtWorker = false
        fronts[index].wire?.toWorker = []
        ended(wire)
    }

    /// The worker has noticed that a connection is over.
    mutating func ended(_ wire: Wire) {
        guard let front = wire.front,
            worker.attendance.connectionEnded(wire.id, of: front, at: 0),
            let place = place(of: front)
        else { return }
        worker.records[place].wire = nil
        worker.records[place].end.connectionEnded()
    }

    mutating func recordsExpire() {
        expiries -= 1
        for front in worker.attendance.timerFired(at: .max) {
            guard let place = place(of: front) else { continue }
            // Handlers go on without anybody to answer to.
            worker.records.remove(at: place)
        }
    }

    /// The worker dies and is started again.
    mutating func crash() {
        crashes -= 1
        let epoch = worker.epoch + 1
        for index in fronts.indices { past[index] += worker.applied[index] }
        worker = WorkerModel(
            epoch: epoch, attendance: AttendanceStateMachine(epoch: epoch),
            applied: Array(repeating: [], count: fronts.count))
        for index in fronts.indices {
            fronts[index].oldWires = []
            fronts[index].wire?.isOpenAtWorker = false
            fronts[index].wire?.toWorker = []
        }
    }
}
