// SessionStage+Output: sends what nodes present; output for all fronts is encoded once, and written
// at once to fronts that have nothing else pending.
//
// Spec       Protocol/SPEC.md, section 7 (Delivery classes)

import NapkinCoding
package import NapkinCore
import NapkinLedger
import NapkinProtocol
import NapkinTransport

extension SessionStage: Flushable {
    /// The bytes of memory that a session may keep for the next turn. Chosen: most turns need no
    /// more.
    private static let keptBytesMax = 4096
    /// Fronts examined before any is written to. A processor prefetches the data of several fronts
    /// at the same time, but not across a system call. Chosen: the number of bits in a word.
    private static let frontsAtOnce = 64

    package func stateChanged(of node: FeatureNode, _ method: MethodID) {
        guard mounted.node(node.id) != nil else { return }
        observer?.stateChanged(node, method)
        let key = StateKey(node: node.id, method: method.rawValue)
        guard node.front == nil, sendsAtOnce else {
            for front in fronts(showing: node.front) { front.stateChanged(key) }
            return
        }
        guard !fronts.isEmpty, shared.stateChanged(key), !isFlushScheduled else { return }
        Loop.shared.scheduleFlush(self)
    }

    package func effect(
        from node: FeatureNode, _ message: some CrossingMessage, to recipient: UInt64?
    ) {
        let fronts = fronts(showing: recipient)
        let id = node.id
        guard !fronts.isEmpty, mounted.has(id) else {
            unseenEffects += 1
            return
        }
        let method = message.method
        encoded.removeAll()
        do {
            try FrameHeader(.effect, node: id, epoch: epoch, method: method.rawValue)
                .write(into: &encoded) { (writer) throws(CBORError) in
                    try message.encode(into: &writer)
                }
        } catch {
            return Anomaly.report(
                .unencodable(feature: node.feature, method: method, error))
        }
        if sendsAtOnce {
            if fronts.count > 1, recipient == nil { return shareEncoded() }
            if fronts.count == 1, encoded.withUnsafeBytes(fronts[0].sendsNow) { return }
        }
        let frame = encoded.copyBytes()
        ledger?.presented(effect: frame, from: id)
        observer?.effect(node, method, frame, to: fronts)
        for front in fronts { front.effect(frame) }
    }

    package func logGrew(of node: FeatureNode, _ method: MethodID, by bytes: Int) {
        guard mounted.node(node.id) != nil, let end = node.logs[method]?.next else { return }
        observer?.logGrew(node, method)
        let key = StateKey(node: node.id, method: method.rawValue)
        for front in fronts(showing: node.front) { front.logGrew(key, to: end, by: bytes) }
    }

    // MARK: - Logs

    /// Sends logs to a front that has just been sent the whole tree: the tails, or the items missed
    /// since it was attached to the same tree.
    func showLogs(to front: FrontSeat, _ attach: Attach) {
        var known: [StateKey: UInt64] = [:]
        if attach.previousEpoch == epoch {
            for log in (attach.logs ?? []).prefix(Limits.logPositionsMax) {
                known[StateKey(node: log.node, method: log.method)] = log.next
            }
        }
        for entry in mounted.shown(to: front.audience) where entry.node.id == entry.id {
            for (method, log) in entry.node.logs.entries {
                let key = StateKey(node: entry.id, method: method.rawValue)
                let start = log.origin > 0 ? log.origin : log.start()
                front.output.logContinues(key, at: min(known[key] ?? start, log.next))
                front.logGrew(key, to: log.next, by: 0)
            }
        }
    }

    /// Sends the fronts the log items that nodes appended before they were mounted.
    func showLogs(mountedIn operations: [StageOperation]) {
        for case .mount(let node) in operations where node.isMounted {
            for (method, _) in node.logs.entries { logGrew(of: node, method, by: 0) }
        }
    }

    // MARK: - To all fronts

    /// Sends the encoded effect to all fronts.
    private func shareEncoded() {
        encoded.withUnsafeBytes { shared.effectPresented($0) }
        if shared.effectBytes >= SharedOutput.effectBytesMax {
            flush()
        } else if !isFlushScheduled {
            Loop.shared.scheduleFlush(self)
        }
    }

    package func flush() {
        guard !shared.isEmpty else { return }
        if let merged = encodeShared() {
            encoded.withUnsafeBytes { write($0, merged) }
        } else {
            for front in fronts { endShared(front) }
        }
        shared.removeAll()
        // An idle session keeps little memory for output.
        if encoded.capacity > Self.keptBytesMax { _ = encoded.removeAll(freeingUpTo: .max) }
    }

    private func endShared(_ front: FrontSeat) {
        front.flush()
        front.output.sharedEnded()
    }

    /// Writes frames to all fronts that have nothing pending.
    private func write(_ frames: UnsafeRawBufferPointer, _ merged: Int) {
        // The copy retains the fronts: flushing one may remove it from the list.
        let fronts = fronts
        for start in stride(from: 0, to: fronts.count, by: Self.frontsAtOnce) {
            let some = start..<min(start + Self.frontsAtOnce, fronts.count)
            var waiting: UInt64 = 0
            // SAFETY: this function's copy retains the fronts.
            for index in some {
                let waits = withUnretained(fronts[index]) { $0.waits(for: frames.count) }
                if waits { waiting |= 1 << UInt64(index - start) }
            }
            for index in some {
                withUnretained(fronts[index]) { front in
                    if waiting >> UInt64(index - start) & 1 == 0 {
                        front.writeShared(frames, merged)
                    } else {
                        endShared(front)
                    }
                }
            }
        }
    }

    /// Encodes all pending output once. Returns how many states that saves, or `nil` if a front
    /// might get a state in another form, or if the output would be too large.
    private func encodeShared() -> Int? {
        guard sendsAtOnce, shared.effectBytes <= Limits.slowFrontBytes else { return nil }
        encoded.removeAll()
        var mark = SharedOutput.Mark()
        var merged = 0
        while let part = shared.next(&mark) {
            guard case .state(let key, let merges) = part else {
                if case .effects(let range) = part {
                    shared.withEffects(range) { encoded.append($0) }
                }
                continue
            }
            merged += merges
            // A repeated state is sent with its newest value, in its first place.
            if shared.isRepeated(before: mark) {
                merged += 1
            } else if !encode(key) {
                return nil
            }
        }
        return encoded.count <= Limits.slowFrontBytes ? merged : nil
    }

    private func encode(_ key: StateKey) -> Bool {
        guard let node = node(key.node),
            let payload = node.payload(of: MethodID(rawValue: key.method)),
            payload.bytes.count < Limits.deltaStateBytesMin
        else { return false }
        let header = FrameHeader(.state, node: key.node, epoch: epoch, method: key.method)
        do {
            try header.write(into: &encoded) { (writer) throws(CBORError) in
                writer.append(payload.bytes)
            }
            return true
        } catch {
            // Sending to each front separately reports the error.
            return false
        }
    }
}
