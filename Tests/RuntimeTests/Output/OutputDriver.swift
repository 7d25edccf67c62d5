// OutputDriver: what the worker of an OutputWorld does, and the judgement of what it sends.

import NapkinLedger
import NapkinProtocol

extension OutputWorld {
    // MARK: - Presenting

    mutating func present(_ kind: Presented, _ scope: OutputScope) {
        presents -= 1
        let number = makeNumber()
        let everybody = fronts.indices.filter { fronts[$0].isListed }
        switch kind {
        case .state: change(Self.state, number, everybody, scope)
        case .ownState: change(Self.ownState, number, [0], scope)
        case .provisional: change(Self.provisional, number, everybody, scope)
        case .item:
            items.append(number)
            let end = UInt64(items.count)
            for index in everybody {
                offer(index, scope) { $0.logGrew(Self.log, to: end, $1, &$2) }
            }
        case .effect: effect(Frame(.effect, number), everybody, scope)
        case .ownEffect: effect(Frame(.effect, number), [0], scope)
        case .answer: answer(Frame(.reply, number), scope)
        case .mount:
            mount = number
            for index in everybody { transition(Frame(.transition, number), index, scope) }
        }
    }

    private mutating func makeNumber() -> UInt8 {
        newest += 1
        if mark == nil { group[newest] = groups.needed }
        return newest
    }

    private mutating func change(
        _ key: StateKey, _ number: UInt8, _ some: [Int], _ scope: OutputScope
    ) {
        values[key, default: []].append(number)
        if key == Self.state, !scope.isDurable {
            _ = all.stateChanged(key)
        } else {
            for index in some { offer(index, scope) { $0.stateChanged(key, $1, &$2) } }
        }
    }

    private mutating func effect(_ frame: Frame, _ some: [Int], _ scope: OutputScope) {
        for index in some { fronts[index].due.append(frame) }
        mark?.effects.append(frame.bytes)
        if !scope.isDurable, some.count > 1 {
            return frame.bytes.withUnsafeBytes { all.effectPresented($0) }
        }
        for index in some {
            let front = fronts[index]
            if !scope.isDurable, front.output.isEmpty, all.isEmpty, !front.isSlow {
                append(frame.bytes, index)
            } else {
                offer(index, scope) { $0.effectPresented(frame.bytes, $1, &$2) }
            }
        }
    }

    private mutating func answer(_ frame: Frame, _ scope: OutputScope) {
        fronts[0].due.append(frame)
        flush(0, scope)
        let isNext = fronts[0].output.isEmpty && flow(0, scope) == .open
        if isNext || scope.flaw == .answersAtOnce { return append(frame.bytes, 0) }
        offer(0, scope) { $0.mustArrive(frame.bytes, $1, &$2) }
    }

    private mutating func transition(_ frame: Frame, _ index: Int, _ scope: OutputScope) {
        fronts[index].due.append(frame)
        offer(index, scope) { $0.mustArrive(frame.bytes, $1, &$2) }
    }

    /// A front attaches, and is sent the tree.
    mutating func join(_ index: Int, _ scope: OutputScope) {
        fronts[index].isListed = true
        if scope.isDurable { fronts[index].output.held = OutputHold() }
        var none = SharedOutput()
        if scope.flaw == .owesThePast {
            fronts[index].output.treeShown(&none)
        } else {
            fronts[index].output.treeShown(&all)
        }
        transition(Frame(.transition, makeNumber()), index, scope)
        fronts[index].output.logContinues(Self.log, at: 0)
        let end = UInt64(items.count)
        offer(index, scope) { $0.logGrew(Self.log, to: end, $1, &$2) }
    }

    private mutating func offer(
        _ index: Int, _ scope: OutputScope,
        _ body: (inout Output, Output.Flow, inout SharedOutput) -> Output.Due
    ) {
        let flow = flow(index, scope)
        var none = SharedOutput()
        let due =
            scope.flaw == .overtakesShared
            ? body(&fronts[index].output, flow, &none) : body(&fronts[index].output, flow, &all)
        switch due {
        case .never: break
        case .atEndOfTurn: fronts[index].needsFlush = true
        case .now: flush(index, scope)
        case .overflow: failure = "front \(index) overflows"
        }
    }

    // MARK: - Sending

    private func flow(_ index: Int, _ scope: OutputScope) -> Output.Flow {
        if fronts[index].isSlow { return .slow }
        return mark != nil && scope.flaw != .sendsWhatMayFail ? .revocable : .open
    }

    private mutating func append(_ bytes: [UInt8], _ index: Int) {
        fronts[index].buffer += bytes
        fronts[index].needsFlush = true
    }

    mutating func flush(_ index: Int, _ scope: OutputScope) {
        var last: [UInt8] = []
        while let step = fronts[index].output.next(flow(index, scope), &all) {
            switch step {
            case .skipped: break
            case .state(let key): sendState(key, index, scope)
            case .log(let key, let range):
                let end = min(Int(range.upperBound), items.count)
                if end < range.upperBound, scope.flaw != .skipsFailedItems {
                    fronts[index].output.logContinues(key, at: UInt64(end))
                }
                for number in items[min(Int(range.lowerBound), end)..<end] {
                    let bytes = Frame(.log, key, number).bytes
                    if scope.flaw == .sendsItemsLast { last += bytes } else { append(bytes, index) }
                }
            case .frames(let bytes):
                append(bytes, index)
                let end = fronts[index].buffer.count
                guard scope.flaw != .overtakesMounts else { continue }
                fronts[index].output.held?.appended(bytes, upTo: end)
            case .effects(let range):
                var bytes: [UInt8] = []
                all.withEffects(range) { bytes += $0 }
                append(bytes, index)
            }
        }
        if !last.isEmpty { append(last, index) }
        if scope.flaw == .forgetsThePart { fronts[index].output.sharedEnded() }
    }

    private mutating func sendState(_ key: StateKey, _ index: Int, _ scope: OutputScope) {
        // What was taken back before the first value was sent is not sent at all.
        guard let number = values[key]?.last else { return }
        let bytes = Frame(.state, key, number).bytes
        if key == Self.provisional || scope.flaw == .overtakesWithAll {
            let end = fronts[index].buffer.count + bytes.count
            if fronts[index].output.held?.overtakes(bytes, elseUpTo: end) == true {
                fronts[index].needsFlush = true
                return
            }
        }
        append(bytes, index)
    }

    mutating func endTurn(_ scope: OutputScope) {
        for index in fronts.indices where fronts[index].isListed {
            let front = fronts[index]
            let isFree = front.output.isOwedSharedOnly && front.buffer.isEmpty && !front.isSlow
            if isFree || scope.flaw == .writesToAll {
                deliver(encodedShared(), index, scope)
            } else if scope.flaw != .forgetsTheSlow || !front.isSlow {
                flush(index, scope)
            }
            fronts[index].output.sharedEnded()
        }
        all.removeAll()
    }

    private func encodedShared() -> [UInt8] {
        var bytes: [UInt8] = []
        var mark = SharedOutput.Mark()
        while let part = all.next(&mark) {
            switch part {
            case .effects(let range): all.withEffects(range) { bytes += $0 }
            case .state(let key, _):
                guard !all.isRepeated(before: mark), let number = values[key]?.last else {
                    continue
                }
                bytes += Frame(.state, key, number).bytes
            }
        }
        return bytes
    }

    /// The end of a turn for a connection.
    mutating func write(_ index: Int, _ scope: OutputScope) {
        flush(index, scope)
        fronts[index].needsFlush = false
        let count = fronts[index].buffer.count
        _ = groups.turnEnded()
        let closed = groups.durable + (groups.isWriting ? 1 : 0)
        let needed = scope.flaw == .forgetsTheOpenGroup ? closed : groups.needed
        let early: GroupNumber = scope.flaw == .opensEarly ? 1 : 0
        let released = fronts[index].output.held?.turnEnded(
            upTo: count, needed: needed, durable: groups.durable + early)
        deliver(released?.ahead ?? [], index, scope)
        let written = fronts[index].buffer.prefix(released?.count ?? count)
        fronts[index].buffer.removeFirst(written.count)
        deliver(Array(written), index, scope)
    }

    // MARK: - Judgement

    private mutating func deliver(_ bytes: [UInt8], _ index: Int, _ scope: OutputScope) {
        for start in stride(from: 0, to: bytes.count, by: Frame.byteCount) {
            let frame = Frame(bytes[start..<start + Frame.byteCount])
            if let what = fault(of: frame, index, scope) {
                failure = failure ?? "front \(index) is sent \(frame), \(what)"
            }
        }
    }

    /// A front is sent a frame; returns why it must not be.
    private mutating func fault(
        of frame: Frame, _ index: Int, _ scope: OutputScope
    ) -> String? {
        let front = fronts[index]
        guard front.hasTree || frame.kind == .transition else { return "before the tree" }
        let isProvisional = frame.kind == .state && frame.key == Self.provisional
        if !isProvisional, group[frame.number] ?? .max > groups.durable {
            return "which could still be lost"
        }
        switch frame.kind {
        case .state:
            fronts[index].shown[frame.key] = frame.number
            if frame.number < front.shown[frame.key] ?? 0 { return "and has shown a newer one" }
            if isProvisional, !front.hasMount { return "whose node it does not know" }
            let known = values[frame.key] ?? []
            if !known.contains(frame.number) { return "which was taken back" }
            let isLate = frame.key.node == Self.log.node && lacksItems(front, frame.number)
            return isLate ? "before an item that was presented first" : nil
        case .log:
            fronts[index].itemCount += 1
            guard front.itemCount < items.count, items[front.itemCount] == frame.number else {
                return "which is not the next item"
            }
            // A slow front may be sent items early, and so may any in a stretch.
            guard !front.wasSlow, !scope.isDurable else { return nil }
            let isEarly = front.due.contains { $0.number < frame.number }
            return isEarly ? "before what was presented first" : lack(index, frame.number)
        default:
            guard front.due.first == frame else { return "which is not due" }
            fronts[index].due.removeFirst()
            if frame.kind == .transition { return shown(frame, index) }
            if lacksItems(front, frame.number) { return "before an item that was presented first" }
            return lack(index, frame.number)
        }
    }

    private mutating func shown(_ frame: Frame, _ index: Int) -> String? {
        if frame.number == mount {
            fronts[index].hasMount = true
            return nil
        }
        // A snapshot has the states with it.
        fronts[index].hasTree = true
        fronts[index].hasMount = mount ?? .max < frame.number
        for key in keys(of: index) {
            fronts[index].shown[key] = values[key]?.last { $0 < frame.number }
        }
        return nil
    }

    private func lacksItems(_ front: Front, _ number: UInt8) -> Bool {
        items.prefix { $0 < number }.count > front.itemCount
    }

    /// What a front should have been sent before something with that number.
    private func lack(_ index: Int, _ number: UInt8) -> String? {
        for key in keys(of: index) {
            let value = values[key]?.last { $0 < number } ?? 0
            if fronts[index].shown[key] ?? 0 < value { return "before a state that was first" }
        }
        return nil
    }
}
