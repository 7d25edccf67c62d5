// Link: a connection that exchanges frames, from its handshake to its end, in either role.
//
// Ownership  owns its channel; holds the delegate until `linkEnded` has returned, strongly: an
//            object that was ever referred to weakly is slower to retain (side table, measured).
//            Frames of one turn share one write.
// Invariant  `linkEnded` is called exactly once, and nothing after it.
// Spec       Protocol/SPEC.md, section 4 (Connection set-up)

package import NapkinCoding
package import NapkinProtocol
package import NapkinTransport

/// One framed connection.
@MainActor
package final class Link: Flushable {
    // SAFETY: @exclusivity(unchecked), here and below: all access is on the main actor, and no
    // access spans a call that could come back here. The machine and the decoder call nobody; code
    // that encodes into `output` sees the writer only.
    /// Kept alive until its `linkEnded` has returned, or until it has been replaced.
    @exclusivity(unchecked) package var delegate: (any LinkReader)?

    /// The peer's part of the handshake: an acceptor receives a hello, an initiator a welcome.
    package private(set) var hello: Hello?
    package private(set) var welcome: Welcome?

    let channel: Channel
    @exclusivity(unchecked) private var connection: ConnectionStateMachine
    @exclusivity(unchecked) private(set) var decoder = FrameDecoder()
    /// The bytes read and not yet consumed, while the delegate reads frames.
    @exclusivity(unchecked) private var unread = UnsafeRawBufferPointer(start: nil, count: 0)
    @exclusivity(unchecked) private(set) var output = CBORWriter(capacity: 0)
    /// The largest frame that the peer accepts, in bytes after the length field.
    @exclusivity(unchecked) private(set) var outputLimit: Int
    /// Whether the delegate writes the output, as much as may be sent.
    @exclusivity(unchecked) var isHeld = false
    @exclusivity(unchecked) package var isFlushScheduled = false
    @exclusivity(unchecked) private var wantsFlush = false
    /// Whether output was buffered since the last check of `LinkWatch`; `nil` if unwatched.
    private var isOutputUsed: Bool?
    @exclusivity(unchecked) private var hasEnded = false
    /// When the peer's last bytes arrived, in the loop's milliseconds; at first, when the link
    /// began.
    @exclusivity(unchecked) private(set) var heardAt: UInt64
    /// The number of the partially received frame; 0 if there is none. Only an acceptor tracks such
    /// frames, because an initiator has chosen its peer.
    @exclusivity(unchecked) var unfinished: UInt64 = 0
    let isAcceptor: Bool
    private var deadline: LoopTimer?
    /// Cached: each access to a `static let` calls the runtime.
    private let loop = Loop.shared

    /// Wraps a connected channel.
    package init(channel: Channel, role: ConnectionStateMachine.Role) {
        self.channel = channel
        heardAt = loop.now
        if case .acceptor = role { isAcceptor = true } else { isAcceptor = false }
        connection = ConnectionStateMachine(role: role)
        outputLimit = connection.outputLimit
    }

    /// Begins the handshake. Call once. An initiator may send its first frames before the welcome
    /// arrives: they leave with the hello.
    package func start(_ delegate: any LinkReader) {
        self.delegate = delegate
        channel.delegate = self
        if let hello = connection.connected() { send(FrameHeader(.hello), value: hello) }
        startDeadline()
        channel.startReading()
    }

    /// The peer's process, user and group, from the kernel.
    package var peer: PeerCredentials? { channel.peer }

    /// Whether the peer reads frames more slowly than they are produced.
    package var isSlow: Bool { pendingBytes > Limits.slowFrontBytes }

    /// The number of bytes buffered in this process for the peer.
    package var pendingBytes: Int { channel.pendingBytes + output.count }

    package var isOpen: Bool { connection.isOpen }

    // MARK: - Sending

    /// Appends a frame; all frames of one turn leave in one write. Does nothing if the link has
    /// ended.
    ///
    /// Throws the errors of `payload`, and `lengthExceeded` for a frame longer than the peer
    /// accepts; in both cases nothing has been appended.
    @inline(__always)
    package func send(
        _ header: FrameHeader,
        _ payload: (inout CBORWriter) throws(CBORError) -> Void = { (_) throws(CBORError) in }
    ) throws(CBORError) {
        guard isOpen else { return }
        try header.write(into: &output, limit: outputLimit, payload)
        scheduleFlush()
    }

    /// Appends a frame and passes its bytes to `keep`, borrowed for the call. If the link has
    /// ended, `keep` is not called: the caller checks first.
    @inline(__always)
    func send(
        _ header: FrameHeader, keep: (UnsafeRawBufferPointer) -> Void,
        _ payload: (inout CBORWriter) throws(CBORError) -> Void
    ) throws(CBORError) {
        guard isOpen else { return }
        let start = output.count
        try header.write(into: &output, limit: outputLimit, payload)
        output.withUnsafeBytes { bytes in
            keep(UnsafeRawBufferPointer(rebasing: bytes[start...]))
        }
        scheduleFlush()
    }

    /// Appends a frame without payload.
    func sendWithoutPayload(_ header: FrameHeader) {
        guard isOpen else { return }
        _ = header.begin(in: &output)
        scheduleFlush()
    }

    /// Appends frames that are already encoded.
    package func send(encoded frames: [UInt8]) {
        frames.withUnsafeBytes(send(encoded:))
    }

    func send(encoded frames: UnsafeRawBufferPointer) {
        guard isOpen else { return }
        scheduleFlush()
        output.append(frames)
    }

    /// Appends the link's last frame, even though the link is no longer open.
    private func append(_ header: FrameHeader, _ refusal: Refusal) {
        // A refusal is short. If one were not, the link would still end, without saying why.
        try? header.write(into: &output, limit: outputLimit) { (writer) throws(CBORError) in
            try writer.write(refusal)
        }
        scheduleFlush()
    }

    /// Asks for `linkWillFlush` and a write at the end of this turn.
    package func requestFlush() {
        wantsFlush = true
        scheduleFlush()
    }

    @inline(__always)
    private func scheduleFlush() {
        guard !isFlushScheduled else { return }
        loop.scheduleFlush(self)
    }

    package func flush() {
        guard !hasEnded else { return }
        if wantsFlush {
            wantsFlush = false
            delegate?.linkWillFlush(self)
        }
        let wasSlow = isSlow
        if isHeld {
            delegate?.linkMayWrite(self)
        } else if output.count > 0 {
            write(output.count)
        }
        guard isOpen else { return output.count == 0 ? flushedLast() : () }
        // The kernel took a whole burst at once, so the channel will report no drain. Output that
        // was held back because the link was slow continues now.
        if wasSlow, channel.pendingBytes == 0 { delegate?.linkDidDrain(self) }
    }

    /// Handles the end of a complete write. A link that writes much keeps its buffer.
    private func emptied() {
        guard !output.removeAll(freeingUpTo: LinkWatch.smallBytesMax) else { return }
        if isOutputUsed == nil { LinkWatch.shared.watch(self) }
        isOutputUsed = true
    }

    /// Frees the output buffer if it has not been needed since the last call. Returns whether the
    /// link no longer needs watching.
    func freesOutput() -> Bool {
        guard output.count == 0, isOutputUsed == false else {
            isOutputUsed = false
            return false
        }
        isOutputUsed = nil
        if output.capacity >= LinkWatch.largeBytesMin { LinkWatch.shared.noteLarge() }
        return output.removeAll(freeingUpTo: .max)
    }

    /// Writes the first `count` bytes of the output.
    func write(_ count: Int) {
        output.withUnsafeBytes { channel.write(UnsafeRawBufferPointer(rebasing: $0[..<count])) }
        if count == output.count { emptied() } else { output.removeFirst(count) }
    }

    /// Discards unwritten output, and closes with a reason instead.
    func refuseUnwritten(_ refusal: Refusal) {
        guard isOpen else { return }
        output.removeAll()
        isHeld = false
        refuse(refusal)
    }

    // MARK: - Ending

    /// Closes at once; the delegate receives `.closed`.
    package func close() { perform(connection.closed()) }

    /// Sends the reason, and closes once it has been written.
    package func refuse(_ refusal: Refusal) { perform(connection.refused(refusal)) }

    /// Closes because the peer broke the protocol, and tells the peer so.
    @inline(never)
    package func violate(_ what: String) { perform(connection.violationFound(what)) }

    /// Records that the acceptor has attached the front, which may send frames from now on.
    func attachedSent() { connection.attachedSent() }

    @inline(never)
    private func perform(_ action: ConnectionStateMachine.EndAction) {
        switch action {
        case .none: break
        case .say(let kind, let refusal):
            channel.stopReading()
            append(FrameHeader(kind), refusal)
        case .awaitOutput:
            // A peer that does not read must not keep the connection.
            channel.stopReading()
            startDeadline()
        case .close(let end): finish(end)
        }
    }

    @inline(never)
    private func flushedLast() {
        perform(connection.outputFlushed(hasPendingOutput: channel.pendingBytes > 0))
    }

    /// Ends a link that no longer waits for the rest of a frame.
    func giveUpFrame(_ reason: String) {
        unfinished = 0
        decoder = FrameDecoder(limit: decoder.limit)
        refuse(Refusal(.overloaded, "an incomplete frame was given up: \(reason)"))
    }

    private func startDeadline() {
        deadline?.cancel()
        deadline = LoopTimer(deadline: .seconds(Limits.handshakeSeconds)) {
            self.perform(self.connection.deadlinePassed())
        }
    }

    private func finish(_ end: ConnectionEnd) {
        hasEnded = true
        deadline?.cancel()
        deadline = nil
        endUnfinished()
        if isOutputUsed != nil { LinkWatch.shared.forget(self) }
        channel.close()
        delegate?.linkEnded(self, end)
        delegate = nil
    }

    // MARK: - Receiving

    @inline(never)
    private func perform(_ action: ConnectionStateMachine.FrameAction) {
        switch action {
        case .deliver, .ignore: break
        case .answerPing(let sequence):
            guard keepsUp() else { return }
            send(FrameHeader(.pong, sequence: sequence), value: true)
        case .decideAdmission(let hello):
            self.hello = hello
            switch connection.admissionDecided(delegate?.link(self, admits: hello)) {
            case .welcome(let welcome):
                send(FrameHeader(.welcome), value: welcome)
                established()
            case .end(let action): perform(action)
            }
        case .established(let welcome):
            self.welcome = welcome
            established()
        case .end(let action): perform(action)
        }
    }

    private func established() {
        deadline?.cancel()
        deadline = nil
        decoder.limit = connection.frameLimit
        outputLimit = connection.outputLimit
        delegate?.linkEstablished(self)
    }
}

extension Link: ChannelDelegate {
    package func channel(_ channel: Channel, didRead bytes: UnsafeRawBufferPointer) {
        unread = bytes
        heardAt = loop.now
        while let reader = delegate {
            reader.linkHasRead(self)
            // The remaining bytes belong to the delegate that has taken the link over.
            if delegate === reader { break }
        }
        unread = UnsafeRawBufferPointer(start: nil, count: 0)
        if decoder.isHolding { noteHolding() }
    }

    /// Returns the next frame from the bytes read; `nil` if there is none for this reader. The
    /// payload is borrowed until the next call.
    @inline(__always)
    package func nextFrame(for reader: any LinkReader) -> Frame? {
        do throws(FrameError) {
            while isOpen, decoder.isHolding || !unread.isEmpty, reader === delegate {
                guard let frame = try decoder.next(&unread) else { return nil }
                if unfinished != 0 { endUnfinished() }
                let action = connection.frameReceived(frame.header, frame.payload)
                if case .deliver = action { return frame }
                perform(action)
            }
        } catch {
            perform(connection.streamBroke(error))
        }
        return nil
    }

    package func channelDidReachEnd(_ channel: Channel) {
        // Write this turn's output first.
        if isOpen, output.count > 0 || wantsFlush { flush() }
        perform(connection.peerFinished(hasPendingOutput: pendingBytes > 0))
    }

    package func channelDidDrain(_ channel: Channel) {
        if isOpen {
            delegate?.linkDidDrain(self)
        } else if output.count == 0 {
            // Otherwise the last frame has not been handed over yet; its flush will close the link.
            perform(connection.outputWritten())
        }
    }

    package func channel(_ channel: Channel, didFailWith error: TransportError) {
        let isReset = ["ECONNRESET", "EPIPE"].contains(error.code)
        perform(connection.transportFailed(isReset ? nil : "\(error)"))
    }

    package func channelDidClose(_ channel: Channel) {
        perform(connection.transportFailed(nil))
    }
}
