// SessionObserver: measures and traces a session while a tool asks for it.
//
// Ownership  owned by its session, which has none while no tool asks: code that would report to it
//            then only checks for it.
// Invariant  ends itself `inspectionSeconds` after the last request. Keeps values only, and no
//            reference to a call, front or node.
// Spec       Protocol/TOOLS.md, section 5 (Observing)

import NapkinCore
import NapkinProtocol
import NapkinTransport

/// Receives every message of its session.
@MainActor
final class SessionObserver {
    /// The stage, held while tools ask. A weak reference would slow down its retains for good.
    private let stage: SessionStage
    private let names: CrossingNames
    /// Absent while no tool asks for figures.
    private var meter: FigureTable?
    private var meterTimer: LoopTimer?
    private var reports = FrontReports()
    private var tracers: [UInt64: Tracer] = [:]
    /// For each connection: when its turn began, and the answers that wait to be written.
    private var turns: [UInt64: TurnMark] = [:]

    init(of stage: SessionStage, _ features: [any Feature.Type]) {
        self.stage = stage
        names = CrossingNames(features)
    }

    var tracerInfos: [SessionQueues.Tracer] {
        tracers.values.map(\.info).sorted { $0.tracer < $1.tracer }
    }

    /// Whether a tracer wants the values that messages carry.
    var wantsValues: Bool { tracers.values.contains { $0.wantsValues } }

    // MARK: - Events

    /// Creates the call of an event that has arrived and is about to run.
    func call(
        _ header: FrameHeader, _ payload: UnsafeRawBufferPointer, _ node: FeatureNode,
        _ front: FrontSeat
    ) -> ObservedCall {
        let turn = turns[front.connection, default: TurnMark()]
        turns[front.connection] = turn
        reports.saw(node.id, of: node.feature.rawValue)
        let crossing = crossing(node.feature, header.method, .event)
        trace(.event, crossing, node: node.id, front: front.id, isFromFront: true) {
            $0.bytes = payload.count
            $0.value = Self.value(payload)
        }
        return ObservedCall(
            node: node, front: front, header, crossing: crossing,
            arrived: turn.mark())
    }

    /// Reports an event that was refused before it ran.
    func refused(_ header: FrameHeader, _ code: RemoteFault.Code, by front: FrontSeat) {
        let feature = stage.node(header.node)?.feature
        let crossing = feature.map { self.crossing($0, header.method, .event) }
        trace(.event, crossing, node: header.node, front: front.id, isFromFront: true) {
            $0.outcome = code.rawValue
        }
    }

    /// A front no longer waits for an event's answer. An event that is older than the observer has
    /// no name here.
    func cancelled(_ header: FrameHeader, _ call: EventCall, by front: FrontSeat) {
        let call = call as? ObservedCall
        let reason: RemoteFault.Code = header.isTooLate ? .deadlineExceeded : .cancelled
        trace(.cancelEvent, call?.crossing, node: call?.nodeID, front: front.id, isFromFront: true)
        {
            $0.outcome = reason.rawValue
        }
    }

    func answered(_ answer: ObservedAnswer, to front: FrontSeat) {
        // The front may have left, or the event may be older than the observer.
        guard let turn = turns[front.connection] else {
            return written(answer, at: MeasuringClock.nanoseconds)
        }
        turn.unwritten.append(answer)
        // Makes `willFlush` run right before the bytes are written, as the front may read them
        // before the write returns.
        front.requestFlush()
    }

    /// Stamps the front's answers before they are written.
    func willFlush(_ front: FrontSeat) {
        guard let turn = turns[front.connection], !turn.unwritten.isEmpty else { return }
        let now = MeasuringClock.nanoseconds
        for answer in turn.unwritten { written(answer, at: now) }
        turn.unwritten = []
    }

    private func written(_ answer: ObservedAnswer, at now: UInt64) {
        meter?.change(answer.crossing) { row in
            row.calls += 1
            if answer.outcome != nil { row.failures += 1 }
            row.queue += answer.began - answer.arrived
            row.handler += answer.ended - answer.began
            row.reply += now - answer.ended
            row.durations.add(now - answer.arrived)
            guard let record = answer.record else { return }
            row.recorded = RecordedCall(
                session: "", record: record, nanoseconds: now - answer.arrived)
        }
        let kind: FrameKind = answer.outcome == nil ? .reply : .fault
        trace(kind, answer.crossing, node: answer.node, front: answer.front, isFromFront: false) {
            $0.bytes = answer.bytes
            $0.value = answer.value
            $0.outcome = answer.outcome ?? "done"
            $0.duration = (now - answer.arrived) / 1000
            $0.record = answer.record
            $0.traceparent = answer.traceparent
        }
    }

    func connectionEnded(_ connection: UInt64) {
        turns[connection] = nil
        reports.connectionEnded(connection)
    }

    // MARK: - Presentation

    /// Reports a state's new value, which is sent to each front when that front has time for it.
    func stateChanged(_ node: FeatureNode, _ method: MethodID) {
        guard meter != nil else { return }
        meter?.change(crossing(node.feature, method.rawValue, .state)) { $0.calls += 1 }
    }

    func stateSent(
        _ kind: FrameKind, _ node: FeatureNode, _ method: UInt32, to front: FrontOutput,
        _ payload: [UInt8], bytes: Int
    ) {
        guard !tracers.isEmpty else { return }
        let crossing = crossing(node.feature, method, .state)
        trace(kind, crossing, node: node.id, front: front.id, isFromFront: false) {
            $0.bytes = bytes
            $0.value = payload.withUnsafeBytes(Self.value)
        }
    }

    func effect(_ node: FeatureNode, _ method: MethodID, _ frame: [UInt8], to fronts: [FrontSeat]) {
        let crossing = crossing(node.feature, method.rawValue, .effect)
        meter?.change(crossing) { $0.calls += 1 }
        for front in fronts { trace(.effect, crossing, node: node.id, frame, to: front) }
    }

    /// Reports an item appended to a log.
    func logGrew(_ node: FeatureNode, _ method: MethodID) {
        guard meter != nil else { return }
        meter?.change(crossing(node.feature, method.rawValue, .log)) { $0.calls += 1 }
    }

    /// Reports log items that are sent to a front.
    func logSent(
        _ frame: UnsafeRawBufferPointer, of node: FeatureNode, _ method: UInt32,
        to front: FrontOutput
    ) {
        guard !tracers.isEmpty else { return }
        let crossing = crossing(node.feature, method, .log)
        trace(.log, crossing, node: node.id, front: front.id, isFromFront: false) {
            $0.bytes = frame.count - FrameHeader.byteCount
            $0.value = Self.value(.init(rebasing: frame[FrameHeader.byteCount...]))
        }
    }

    /// Reports a transition of the tree that is sent to a front.
    func transition(_ frame: [UInt8], to front: FrontOutput) {
        trace(.transition, nil, node: nil, frame, to: front)
    }

    // MARK: - Asks

    func asked(_ node: FeatureNode, _ method: MethodID, _ frame: [UInt8], to fronts: [FrontSeat]) {
        let crossing = crossing(node.feature, method.rawValue, .ask)
        for front in fronts { trace(.ask, crossing, node: node.id, frame, to: front) }
    }

    /// Reports the end of a question that was asked at `askedAt`.
    func askEnded(
        _ node: UInt32, _ feature: FeatureID, _ method: MethodID, askedAt: UInt64,
        _ outcome: Result<Payload, RemoteFault>, by front: FrontSeat?
    ) {
        let crossing = crossing(feature, method.rawValue, .ask)
        let took = MeasuringClock.nanoseconds - askedAt
        var code = "done"
        if case .failure(let fault) = outcome { code = fault.code.rawValue }
        meter?.change(crossing) { row in
            row.calls += 1
            if code != "done" { row.failures += 1 }
            row.handler += took
            row.durations.add(took)
        }
        let kind: FrameKind = front == nil ? .askEnded : .askReply
        trace(kind, crossing, node: node, front: front?.id, isFromFront: front != nil) {
            $0.outcome = code
            $0.duration = took / 1000
            guard case .success(let payload) = outcome else { return }
            $0.bytes = payload.bytes.count
            $0.value = payload.bytes.withUnsafeBytes(Self.value)
        }
    }

    // MARK: - Figures

    /// Measures the session for a while, and returns the figures since measuring began.
    func figures(of session: String) async -> FigureTable {
        if meter == nil { meter = FigureTable() }
        meterTimer?.cancel()
        meterTimer = LoopTimer(after: .seconds(Limits.inspectionSeconds)) { [weak self] in
            self?.stopMeasuring()
        }
        // Counts frames on their way to the fronts before asking these: by the time of their
        // answers, the fronts have read exactly what is counted here.
        for front in stage.fronts { willFlush(front) }
        var table = meter ?? FigureTable()
        table.setSession(session)
        await reports.gather(from: stage.fronts)
        for report in reports.rows {
            let method = names.name(of: report.method, in: report.feature)
            let crossing = FigureTable.Crossing(
                feature: report.feature, method: method,
                delivery: DeliveryClass.event.rawValue)
            table.change(crossing) { row in
                var known = row.fronts ?? FrontFigures()
                known.add(report.figures)
                row.fronts = known
            }
        }
        return table
    }

    func measuredReceived(_ header: FrameHeader, _ measured: Measured, from front: FrontSeat) {
        reports.received(header.sequence, measured, from: front)
    }

    private func stopMeasuring() {
        meter = nil
        meterTimer = nil
        reports.end()
        reports = FrontReports()
        endIfIdle()
    }

    // MARK: - Tracers

    /// Creates a tracer; returns `nil` if there are too many.
    func makeTracer(_ number: UInt64, feature: String?, wantsValues: Bool) -> Tracer? {
        guard tracers.count < Limits.tracersMax else { return nil }
        let tracer = Tracer(number: number, feature: feature, wantsValues: wantsValues) {
            [weak self] in
            self?.tracers.removeValue(forKey: number)?.end()
            self?.endIfIdle()
        }
        tracers[number] = tracer
        return tracer
    }

    func tracer(_ number: UInt64) -> Tracer? { tracers[number] }

    /// The session has ended.
    func end() {
        for tracer in tracers.values { tracer.end() }
        tracers = [:]
        meterTimer?.cancel()
        stopMeasuring()
    }

    private func endIfIdle() {
        if meter == nil, tracers.isEmpty { stage.observer = nil }
    }

    private func trace(
        _ kind: FrameKind, _ crossing: FigureTable.Crossing?, node: UInt32?, front: UInt64?,
        isFromFront: Bool, _ fill: (inout TracedMessage) -> Void
    ) {
        guard !tracers.isEmpty else { return }
        var message = TracedMessage(
            time: MeasuringClock.wallMicroseconds, isFromFront: isFromFront, kind: "\(kind)")
        message.front = front
        message.node = node
        message.feature = crossing?.feature
        message.method = crossing?.method
        fill(&message)
        if !wantsValues { message.value = nil }
        for tracer in tracers.values { tracer.add(message) }
    }

    private func trace(
        _ kind: FrameKind, _ crossing: FigureTable.Crossing?, node: UInt32?, _ frame: [UInt8],
        to front: FrontOutput
    ) {
        trace(kind, crossing, node: node, front: front.id, isFromFront: false) {
            $0.bytes = frame.count - FrameHeader.byteCount
            $0.value = frame.withUnsafeBytes {
                Self.value(UnsafeRawBufferPointer(rebasing: $0[FrameHeader.byteCount...]))
            }
        }
    }

    private func crossing(
        _ feature: FeatureID, _ method: UInt32, _ delivery: DeliveryClass
    ) -> FigureTable.Crossing {
        FigureTable.Crossing(
            feature: feature.rawValue,
            method: names.name(of: method, in: feature.rawValue),
            delivery: delivery.rawValue)
    }

    private static func value(_ bytes: UnsafeRawBufferPointer) -> [UInt8]? {
        bytes.count <= Limits.traceValueBytesMax ? Array(bytes) : nil
    }
}
