// FrontOutput: sends a front's pending output: the driver of `Output`.
//
// Ownership  the sending part of a front's seat; owns the connection while there is one. The
//            values of states, and the items of logs, stay in the nodes.
// Spec       Protocol/SPEC.md, sections 2 (Ordering guarantees) and 7 (Delivery classes)

import NapkinCoding
import NapkinCore
import NapkinLedger
import NapkinProtocol
import NapkinTransport

/// The output of one front of a session, connected or not.
@MainActor
package class FrontOutput {
    package final let id: UInt64
    final let stage: SessionStage
    // SAFETY: @exclusivity(unchecked), here and below: all access is on the main actor, and no
    // access spans a call of the session, the link or an encoder. The machine calls nobody.
    /// The connection; `nil` while the front is away.
    @exclusivity(unchecked) final var link: Link?
    @exclusivity(unchecked) final var output = Output()
    /// The large states that the front has; `nil` if it does not accept deltas.
    @exclusivity(unchecked) private final var sent: SentStates?
    /// Items of logs, and their bytes, since logs were last sent before the end of a turn.
    private final var grown = (items: 0, bytes: 0)

    init(_ id: UInt64, on stage: SessionStage) {
        self.id = id
        self.stage = stage
    }

    /// Starts over with a new connection.
    final func begin(on link: Link, takesDeltas: Bool) {
        self.link = link
        output = Output()
        sent = takesDeltas ? SentStates() : nil
        // The welcome waits for nothing, and must not be dropped with output that waits.
        if stage.journal != nil { link.flush() }
        hold()
    }

    /// From now on, holds output back until the changes that it depends on are stored.
    final func hold() {
        guard let link, stage.journal != nil else { return }
        output.held = OutputHold(after: link.output.count)
        link.isHeld = true
    }

    // MARK: - Owed output

    /// Notes a changed state. Its newest value is sent at the end of the turn, or once the front
    /// catches up.
    final func stateChanged(_ key: StateKey) {
        offer { $0.stateChanged(key, $1, &$2) }
    }

    final func effect(_ frame: [UInt8]) {
        offer { $0.effectPresented(frame, $1, &$2) }
    }

    /// Sends frames of effects if no output precedes them; returns whether it did.
    final func sendsNow(_ effects: UnsafeRawBufferPointer) -> Bool {
        guard let link, output.isEmpty, stage.shared.isEmpty, !link.isHeld, !link.isSlow else {
            return false
        }
        link.send(encoded: effects)
        return true
    }

    /// Notes that a log has grown up to this number. Its items wait in the node until the end of
    /// the turn, or until the front catches up.
    final func logGrew(_ key: StateKey, to end: UInt64, by bytes: Int) {
        offer { $0.logGrew(key, to: end, $1, &$2) }
        grown = (grown.items + 1, grown.bytes + bytes)
        guard grown.items >= LogLimits.least.items || grown.bytes >= LogLimits.least.bytes else {
            return
        }
        grown = (0, 0)
        flush()
    }

    /// Sends a transition's frames. States that are too large for their mount are sent before the
    /// last frame if there is room, so that little is buffered for a front that shows much.
    final func transition(_ frames: [[UInt8]], _ parts: TransitionParts) {
        for (index, frame) in frames.enumerated() {
            if index == frames.count - 1 {
                for key in parts.states { output.stateMounted(key, flow, &stage.shared) }
            }
            ordered(frame)
            stage.observer?.transition(frame, to: self)
        }
        // The front now has the states that went with their mounts.
        guard sent != nil else { return }
        for case .mount(let mount) in parts.operations { sent?.mounted(mount) }
    }

    final func forget(where isGone: (UInt32) -> Bool) {
        sent?.unmounted(where: isGone)
        output.unmounted(where: isGone)
    }

    /// Sends a value that must arrive; refuses the front if the value cannot be encoded.
    final func ordered(_ header: FrameHeader, _ value: some Encodable) {
        do {
            ordered(try header.encoded(value))
        } catch {
            refuse(Refusal(.overloaded, "\(error.detail)"))
        }
    }

    /// Sends frames that must arrive, after everything offered before them.
    final func ordered(_ frames: [UInt8]) {
        offer { $0.mustArrive(frames, $1, &$2) }
    }

    final func requestFlush() { link?.requestFlush() }

    /// Sends the reason, then closes the connection.
    final func refuse(_ refusal: Refusal) { link?.refuse(refusal) }

    /// Closes with a reason, and drops output that the journal cannot store at the moment.
    final func refuseUnkept(_ refusal: Refusal) {
        output.held = nil
        link?.refuseUnwritten(refusal)
    }

    @inline(__always)
    private final func offer(
        _ body: (inout Output, Output.Flow, inout SharedOutput) -> Output.Due
    ) {
        guard let link else { return }
        switch body(&output, flow, &stage.shared) {
        case .never: break
        case .atEndOfTurn: link.requestFlush()
        case .now: flush()
        case .overflow:
            refuse(Refusal(.overloaded, "the front does not read what it is sent; attach again"))
        }
    }

    // MARK: - Sending

    /// Whether a handler may still take back its output.
    final var isRevocable: Bool { stage.recorder?.isInStretch == true }

    private final var flow: Output.Flow {
        if link?.isSlow == true { .slow } else if isRevocable { .revocable } else { .open }
    }

    /// Moves the front's pending output into the connection's buffer, as far as it may be sent.
    @inline(__always)
    final func flush() {
        if !output.isEmpty || !stage.shared.isEmpty { flushOwed() }
    }

    @inline(never)
    private final func flushOwed() {
        guard let link else { return }
        while let step = output.next(flow, &stage.shared) {
            switch step {
            case .skipped(let skipped): link.send(FrameHeader(.skipped), value: skipped)
            case .state(let key): sendState(key, on: link)
            case .log(let key, let range): sendLog(key, range, on: link)
            case .effects(let range):
                stage.shared.withEffects(range) { link.send(encoded: $0) }
            case .frames(let frames):
                link.send(encoded: frames)
                output.held?.appended(frames, upTo: link.output.count)
            }
        }
    }

    private final func sendState(_ key: StateKey, on link: Link) {
        let method = MethodID(rawValue: key.method)
        if method == .fronts {
            let header = FrameHeader(
                .state, node: key.node, epoch: stage.epoch, method: key.method)
            return link.send(header, value: stage.fronts.count)
        }
        guard let node = stage.node(key.node), let payload = node.payload(of: method) else {
            return
        }
        let old = sent?.sent(payload, key.node, key.method)
        let delta = old.flatMap {
            stage.deltas.delta(from: $0, to: payload, key.node, key.method)
        }
        let kind: FrameKind = delta == nil ? .state : .stateDelta
        let bytes = delta ?? payload.bytes
        stage.observer?.stateSent(
            kind, node, key.method, to: self, payload.bytes, bytes: bytes.count)
        let header = FrameHeader(kind, node: key.node, epoch: stage.epoch, method: key.method)
        do {
            if output.held != nil, node.isProvisional(method) {
                try sendProvisional(header, bytes, on: link)
            } else {
                try link.send(header) { (writer) throws(CBORError) in writer.append(bytes) }
            }
        } catch {
            Anomaly.report(.unencodable(feature: node.feature, method: method, error))
        }
    }

    /// Sends a frame that may be seen even if it is lost later.
    private final func sendProvisional(
        _ header: FrameHeader, _ payload: [UInt8], on link: Link
    ) throws(CBORError) {
        guard link.isOpen else { return }
        let frame = try header.encoded(payload: payload, limit: link.outputLimit)
        let end = link.output.count + frame.count
        if output.held?.overtakes(frame, elseUpTo: end) == false { link.send(encoded: frame) }
        link.requestFlush()
    }

    /// Sends items of a log. A front that is too far behind skips the oldest, and notices by the
    /// number of the first.
    private final func sendLog(_ key: StateKey, _ range: Range<UInt64>, on link: Link) {
        let method = MethodID(rawValue: key.method)
        guard let node = stage.node(key.node), let log = node.logs[method] else { return }
        let end = min(range.upperBound, log.next)
        // The later items have been rolled back.
        if end < range.upperBound { output.logContinues(key, at: end) }
        var number = log.start(
            from: range.lowerBound, before: end, items: .max, bytes: Limits.logBacklogBytesMax)
        // Every item that the front has was appended before the log began anew.
        var beginsAnew = log.origin > 0 && range.lowerBound <= log.origin
        if beginsAnew { number = max(number, log.start(before: end)) }
        while number < end {
            let run = log.run(from: number, bytesMax: Limits.logFrameBytes)
            let count = min(run, Int(end - number))
            let header = FrameHeader(
                .log, flags: beginsAnew ? FrameHeader.beginsAnewFlag : 0, node: key.node,
                epoch: stage.epoch, sequence: number, method: key.method)
            send(log, header, count: count, of: node, on: link)
            beginsAnew = false
            number += UInt64(count)
        }
    }

    private final func send(
        _ log: LogWindow, _ header: FrameHeader, count: Int, of node: FeatureNode, on link: Link
    ) {
        let method = MethodID(rawValue: header.method)
        let encode = { (writer: inout CBORWriter) throws(CBORError) in
            writer.writeArrayHeader(count + 1)
            try writer.write(log.first)
            log.withBytes(from: header.sequence, count: count) { writer.append($0) }
        }
        do {
            if output.held != nil, log.limits.isProvisional {
                var writer = CBORWriter()
                try encode(&writer)
                return try sendProvisional(header, writer.copyBytes(), on: link)
            }
            let keep = { [stage] (frame: UnsafeRawBufferPointer) -> Void in
                stage.observer?.logSent(frame, of: node, header.method, to: self)
            }
            try link.send(header, keep: keep, encode)
        } catch {
            Anomaly.report(.unencodable(feature: node.feature, method: method, error))
        }
    }

    /// Writes output that depends only on stored changes; the rest follows once the journal has it.
    final func linkMayWrite(_ link: Link) {
        guard self.link === link, let journal = stage.journal else { return }
        if link.output.count > 0 { journal.turnEnded() }
        let released = output.held?.turnEnded(
            upTo: link.output.count, needed: journal.needed, durable: journal.durable)
        guard let released else { return }
        if !released.ahead.isEmpty { released.ahead.withUnsafeBytes { link.channel.write($0) } }
        if released.count > 0 { link.write(released.count) }
        if link.output.count > 0 { journal.wake(link) }
    }

    // MARK: - With all other fronts

    /// Whether other output must precede `count` bytes of frames sent to all fronts.
    @inline(__always)
    final func waits(for count: Int) -> Bool {
        // Otherwise a state's delta would no longer match.
        guard link != nil, output.isOwedSharedOnly,
            !stage.shared.hasStates || sent?.isEmpty != false
        else { return true }
        // SAFETY: the seat retains its link.
        return withUnretained(link) { !$0.takesNow(count) }
    }

    @inline(__always)
    final func writeShared(_ frames: UnsafeRawBufferPointer, _ merged: Int) {
        output.sharedWritten(merged: merged)
        // SAFETY: the seat retains its link, which exists: the seat is not waiting.
        withUnretained(link) { $0.channel.write(frames) }
    }
}
