// ResumeMoves: what can happen next in a ResumeWorld.

import NapkinProtocol

/// One step. Front and connection by index.
enum ResumeMove: Hashable, Sendable {
    case call(Int)
    case frontTakes(Int)
    case workerTakes(Int)
    case workerTakesLate(Int, wire: Int)
    case finish(record: Int, running: Int)
    case connect(Int)
    case workerNoticesLate(Int, wire: Int)
    // Faults.
    case frontLoses(Int)
    case workerLoses(Int)
    case crash
    case recordsExpire
    case frontGivesUp(Int)

    var isFault: Bool {
        switch self {
        case .frontLoses, .workerLoses, .crash, .recordsExpire, .frontGivesUp: true
        default: false
        }
    }
}

extension ResumeWorld {
    /// Everything that can happen next.
    func moves(_ scope: ResumeScope) -> [ResumeMove] {
        var moves: [ResumeMove] = []
        for (index, front) in fronts.enumerated() {
            moves += self.moves(of: index, front, scope)
        }
        for (record, model) in worker.records.enumerated() {
            for running in model.running.indices {
                moves.append(.finish(record: record, running: running))
            }
        }
        if crashes > 0, !isOver(scope) { moves.append(.crash) }
        if expiries > 0, worker.attendance.nextDeadline != nil { moves.append(.recordsExpire) }
        return moves
    }

    private func moves(of index: Int, _ front: FrontModel, _ scope: ResumeScope) -> [ResumeMove] {
        var moves: [ResumeMove] = []
        let isOpen = front.end.machine.hasOpenEvents || front.calls < scope.calls[index]
        for wire in front.oldWires.indices {
            moves.append(.workerNoticesLate(index, wire: wire))
            if !front.oldWires[wire].toWorker.isEmpty {
                moves.append(.workerTakesLate(index, wire: wire))
            }
        }
        guard let wire = front.wire else {
            if isOpen { moves.append(.connect(index)) }
            if expiries > 0, front.end.machine.hasOpenEvents { moves.append(.frontGivesUp(index)) }
            return moves
        }
        if front.end.machine.identity != nil, front.calls < scope.calls[index] {
            moves.append(.call(index))
        }
        if !wire.toFront.isEmpty { moves.append(.frontTakes(index)) }
        if !wire.toWorker.isEmpty { moves.append(.workerTakes(index)) }
        if !wire.isOpenAtWorker {
            // Not a fault: it will notice.
            moves.append(.frontLoses(index))
        } else if cuts > 0, isOpen || !wire.toWorker.isEmpty {
            moves.append(.frontLoses(index))
            moves.append(.workerLoses(index))
        }
        return moves
    }

    private func isOver(_ scope: ResumeScope) -> Bool {
        zip(fronts, scope.calls).allSatisfy { front, calls in
            front.calls == calls && !front.end.machine.hasOpenEvents
        }
    }

    /// Whether the move is a fault here, which need not happen.
    func isFault(_ move: ResumeMove) -> Bool {
        if case .frontLoses(let index) = move, fronts[index].wire?.isOpenAtWorker == false {
            return false
        }
        return move.isFault
    }

    /// The situation after a move.
    func after(_ move: ResumeMove, _ scope: ResumeScope) -> ResumeWorld {
        var next = self
        switch move {
        case .call(let index): next.call(index)
        case .frontTakes(let index): next.frontTakes(index, scope)
        case .workerTakes(let index): next.workerTakes(index, scope)
        case .workerTakesLate(let index, let wire): next.workerTakesLate(index, wire, scope)
        case .finish(let record, let running): next.finish(record, running)
        case .connect(let index): next.connect(index)
        case .workerNoticesLate(let index, let wire):
            let old = next.fronts[index].oldWires.remove(at: wire)
            next.ended(old)
        case .frontLoses(let index): next.frontLoses(index)
        case .workerLoses(let index): next.workerLoses(index)
        case .crash: next.crash()
        case .recordsExpire: next.recordsExpire()
        case .frontGivesUp(let index):
            next.expiries -= 1
            next.end(next.fronts[index].end.resumeExpired(), of: index)
        }
        next.check(scope)
        return next
    }
}
