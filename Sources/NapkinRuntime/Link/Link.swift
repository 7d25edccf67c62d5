// Link: one connection that speaks frames, from its handshake to its end; both roles.
//
// Layer      runtime: performs what the machines of NapkinProtocol decide.
// Isolation  @MainActor: the loop thread.
// Ownership  owns its channel; the delegate is held until `linkEnded` has returned, strongly: an
//            object that was ever referred to weakly is slower to retain (side table, measured).
//            Frames of one tick share one write.
// Invariant  `linkEnded` comes exactly once, and nothing after it.
// Spec       Protocol/SPEC.md, section 4 (Connection set-up)

public import NapkinCoding
public import NapkinProtocol
public import NapkinTransport

/// Told what happens on a link.
@MainActor
public protocol LinkDelegate: AnyObject {
    /// The acceptor's part: a refusal keeps the peer out.
    func link(_ link: Link, admits hello: Hello) -> Refusal?
    /// The handshake is done; frames may pass.
    func linkEstablished(_ link: Link)
    /// A frame arrived; `payload` is borrowed for the call.
    func link(_ link: Link, received header: FrameHeader, _ payload: UnsafeRawBufferPointer)
    /// `requestFlush()` was called, and the tick's output is about to be written: the last chance
    /// to append to it.
    func linkWillFlush(_ link: Link)
    /// What the kernel had not taken has been taken, or a burst that made the link slow has been
    /// taken at once.
    func linkDidDrain(_ link: Link)
    func linkEnded(_ link: Link, _ end: LinkEnd)
}

extension LinkDelegate {
    public func link(_ link: Link, admits hello: Hello) -> Refusal? { nil }
    public func linkWillFlush(_ link: Link) {}
    public func linkDidDrain(_ link: Link) {}
}

/// One framed connection.
@MainActor
public final class Link: Flushable {
    /// Kept alive until its `linkEnded` has returned.
    @exclusivity(unchecked) public var delegate: (any LinkDelegate)?
    /// What the other side said in its handshake: an acceptor has a hello, an initiator a welcome.
    public private(set) var hello: Hello?
    public private(set) var welcome: Welcome?
    /// What both sides speak; known when the handshake is done.
    public private(set) var version: ProtocolVersion?

    let channel: Channel
    @exclusivity(unchecked) private var handshake: HandshakeStateMachine
    @exclusivity(unchecked) private var decoder = FrameDecoder()
    @exclusivity(unchecked) private var output = CBORWriter(capacity: 4096)
    @exclusivity(unchecked) private var isFlushScheduled = false
    @exclusivity(unchecked) private var wantsFlush = false
    @exclusivity(unchecked) private var hasEnded = false
    @exclusivity(unchecked) private var closesAfterFlush: LinkEnd?
    private var deadline: LoopTimer?
    /// Kept: each look at a `static let` is a call of the runtime.
    private let loop = Loop.shared

    /// Takes over a connected channel.
    ///
    /// - Parameter supported: the versions that an acceptor speaks.
    public init(
        channel: Channel, role: HandshakeStateMachine.Role,
        supported: ClosedRange<ProtocolVersion> = .oldest ... .current
    ) {
        self.channel = channel
        handshake = HandshakeStateMachine(role: role, supported: supported)
    }

    /// Takes over a connected channel and begins the handshake.
    public convenience init(
        channel: Channel, role: HandshakeStateMachine.Role, delegate: any LinkDelegate
    ) {
        self.init(channel: channel, role: role)
        start(delegate)
    }

    /// Begins the handshake. Call once.
    public func start(_ delegate: any LinkDelegate) {
        self.delegate = delegate
        channel.delegate = self
        if let action = handshake.connected() { perform(action) }
        deadline = LoopTimer(after: .seconds(Limits.handshakeSeconds)) { self.handshakeOverdue() }
        channel.startReading()
    }

    /// The peer's process, user and group; from the kernel.
    public var peer: PeerCredentials? { channel.peer }

    /// Whether the peer takes its frames more slowly than they are made.
    public var isSlow: Bool { channel.pendingBytes + output.count > Limits.slowFrontBytes }

    /// Bytes that wait in this process for the peer.
    public var pendingBytes: Int { channel.pendingBytes + output.count }

    public var isOpen: Bool { !hasEnded && closesAfterFlush == nil }

    // MARK: - Sending

    /// Appends a frame; everything of one tick leaves in one write. Dropped when the link is over.
    ///
    /// Throws what `payload` throws; nothing has been appended then.
    @inline(__always)
    public func send(
        _ header: FrameHeader,
        _ payload: (inout CBORWriter) throws(CBORError) -> Void = { (_) throws(CBORError) in }
    ) throws(CBORError) {
        guard isOpen else { return }
        try header.write(into: &output, payload)
        scheduleFlush()
    }

    /// Appends frames that are encoded already.
    public func send(encoded frames: [UInt8]) {
        guard isOpen else { return }
        output.append(frames)
        scheduleFlush()
    }

    /// Appends a frame with a value of a fixed, small shape.
    public func send(_ header: FrameHeader, value: some Encodable) {
        do {
            try send(header) { (writer) throws(CBORError) in try writer.write(value) }
        } catch {
            preconditionFailure("a \(header.kind) frame cannot be encoded: \(error)")
        }
    }

    /// Asks for `linkWillFlush` and a write at the end of this tick.
    public func requestFlush() {
        wantsFlush = true
        scheduleFlush()
    }

    @inline(__always)
    private func scheduleFlush() {
        guard !isFlushScheduled else { return }
        isFlushScheduled = true
        loop.scheduleFlush(self)
    }

    public func flush() {
        isFlushScheduled = false
        guard !hasEnded else { return }
        if wantsFlush {
            wantsFlush = false
            delegate?.linkWillFlush(self)
        }
        let wasSlow = isSlow
        if output.count > 0 {
            output.withUnsafeBytes { channel.write($0) }
            output.removeAll()
        }
        if let end = closesAfterFlush { return closeWhenWritten(end) }
        // The kernel took all of a burst at once, so that the channel will say nothing: what was
        // held back because the link was slow goes on.
        if wasSlow, channel.pendingBytes == 0 { delegate?.linkDidDrain(self) }
    }

    // MARK: - Ending

    /// Closes at once; the delegate hears `.closed`.
    public func close() { finish(.closed) }

    /// Says why, then closes when that has been written.
    public func refuse(_ refusal: Refusal) {
        let kind: FrameKind = handshake.isEstablished ? .goodbye : .refused
        end(with: .refused(refusal), saying: kind, refusal)
    }

    /// Closes because of what the peer did, telling it.
    @inline(never)
    public func violate(_ what: String) {
        let kind: FrameKind = handshake.isEstablished ? .goodbye : .refused
        end(with: .violated(what), saying: kind, Refusal(.protocolViolation, what))
    }

    /// Refuses a peer that does not read what it asked for, instead of keeping it for ever.
    public func keepsUp() -> Bool {
        if pendingBytes <= Limits.orderedBacklogBytesMax { return true }
        refuse(Refusal(.overloaded, "this side does not read what it is sent; connect again"))
        return false
    }

    private func end(with end: LinkEnd, saying kind: FrameKind, _ refusal: Refusal) {
        guard isOpen else { return }
        send(FrameHeader(kind), value: refusal)
        closesAfterFlush = end
        channel.stopReading()
    }

    private func closeWhenWritten(_ end: LinkEnd) {
        guard channel.pendingBytes > 0 else { return finish(end) }
        // A peer that does not read its goodbye must not keep the connection.
        deadline?.cancel()
        deadline = LoopTimer(after: .seconds(Limits.handshakeSeconds)) { self.finish(end) }
    }

    private func finish(_ end: LinkEnd) {
        guard !hasEnded else { return }
        hasEnded = true
        deadline?.cancel()
        deadline = nil
        channel.close()
        delegate?.linkEnded(self, end)
        delegate = nil
    }

    private func handshakeOverdue() {
        guard !handshake.isEstablished else { return }
        violate("no handshake within \(Limits.handshakeSeconds) s")
    }

    // MARK: - Receiving

    private func received(_ frame: Frame) {
        guard handshake.isEstablished else {
            return perform(handshake.frameReceived(frame.header, frame.payload))
        }
        switch frame.header.kind {
        case .ping:
            answerPing(frame.header)
        case .goodbye:
            goodbyeReceived(frame.payload)
        default:
            delegate?.link(self, received: frame.header, frame.payload)
        }
    }

    private func perform(_ action: HandshakeStateMachine.Action) {
        switch action {
        case .sendHello(let hello):
            send(FrameHeader(.hello), value: hello)
        case .sendWelcome(let welcome, let hello):
            self.hello = hello
            if let refusal = delegate?.link(self, admits: hello) {
                end(with: .refused(refusal), saying: .refused, refusal)
            } else {
                send(FrameHeader(.welcome), value: welcome)
                version = welcome.version
                established()
            }
        case .refuse(let refusal):
            end(with: .violated(refusal.message), saying: .refused, refusal)
        case .established(let welcome):
            self.welcome = welcome
            version = welcome.version
            established()
        case .refused(let refusal):
            finish(.refused(refusal))
        }
    }

    private func established() {
        deadline?.cancel()
        deadline = nil
        decoder.limit = Limits.frameBytesMax
        delegate?.linkEstablished(self)
    }

    @inline(never)
    private func goodbyeReceived(_ payload: UnsafeRawBufferPointer) {
        finish(.refused(decode(payload) ?? Refusal(.shuttingDown, "goodbye")))
    }

    @inline(never)
    private func answerPing(_ header: FrameHeader) {
        guard keepsUp() else { return }
        send(FrameHeader(.pong, sequence: header.sequence), value: true)
    }

    private func decode<T: Decodable>(_ payload: UnsafeRawBufferPointer) -> T? {
        do {
            var reader = CBORReader(payload)
            let value = try reader.read(T.self)
            try reader.expectEnd()
            return value
        } catch {
            // The caller treats an unreadable frame as an unexpected one.
            return nil
        }
    }
}

extension Link: ChannelDelegate {
    public func channel(_ channel: Channel, didRead bytes: UnsafeRawBufferPointer) {
        var rest = bytes
        do throws(FrameError) {
            while isOpen, decoder.isHolding || !rest.isEmpty, let frame = try decoder.next(&rest) {
                received(frame)
            }
        } catch {
            violate("\(error)")
        }
    }

    public func channelDidReachEnd(_ channel: Channel) { finish(.peerClosed) }

    public func channelDidDrain(_ channel: Channel) {
        guard let end = closesAfterFlush else {
            delegate?.linkDidDrain(self)
            return
        }
        // The reason may not have been written yet: then the flush closes.
        if output.count == 0 { finish(end) }
    }

    public func channel(_ channel: Channel, didFailWith error: TransportError) {
        let isReset = ["ECONNRESET", "EPIPE"].contains(error.code)
        finish(isReset ? .peerClosed : .failed(error))
    }

    public func channelDidClose(_ channel: Channel) { finish(.peerClosed) }
}
