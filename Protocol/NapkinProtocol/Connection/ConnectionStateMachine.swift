// ConnectionStateMachine: one connection for either role, from its first byte to its end.
//
// Invariant  nothing is delivered before the handshake is done or after the last frame; only frames
//            that the peer may send to this side are delivered; the connection ends once.
// Spec       Protocol/SPEC.md, sections 4 (Connection set-up) and 6 (Messages)

/// How a connection ended. Reported once.
public enum ConnectionEnd: Error, Equatable, Sendable, CustomStringConvertible {
    /// This side closed it.
    case closed
    /// The peer closed it, or its process died.
    case peerClosed
    /// One side refused the other, or shut down in good order, and said why.
    case refused(Refusal)
    /// The peer broke the protocol.
    case violated(String)
    /// The peer did not complete its part of the handshake in time.
    case silent
    /// The transport failed, for this reason.
    case failed(String)

    /// Whether the peer gave no reason for the end, so that its process may have died.
    package var isSilent: Bool {
        switch self {
        case .peerClosed, .silent, .failed: true
        case .closed, .refused, .violated: false
        }
    }

    public var description: String {
        switch self {
        case .closed: "closed"
        case .peerClosed: "the other side closed the connection"
        case .refused(let refusal): refusal.message
        case .violated(let what): "the other side broke the protocol: \(what)"
        case .silent: "no handshake within \(Limits.handshakeSeconds) s"
        case .failed(let reason): reason
        }
    }
}

/// Bytes of a call between a worker and a child's process that precede its arguments; these are a
/// front's message of any size. Chosen: a front's name has up to 128.
package let callContextBytesMax = 1024

/// Decides what each frame means and how the connection ends.
public struct ConnectionStateMachine: Sendable {
    /// The kind of connection, and this side's role in it.
    public enum Role: Sendable {
        case initiator(Hello, towards: Party)
        case acceptor(Party, server: String, pid: Int32)
    }

    /// The action to take for a frame.
    public enum FrameAction: Equatable, Sendable {
        /// Hand the frame to the owner.
        case deliver
        case ignore
        case answerPing(UInt64)
        /// Ask the acceptor's owner, which reports `admissionDecided`.
        case decideAdmission(Hello)
        /// The initiator's connection is established.
        case established(Welcome)
        case end(EndAction)
    }

    /// The action to take after the owner's decision about a peer.
    public enum AdmissionAction: Equatable, Sendable {
        /// Send this: the connection is established.
        case welcome(Welcome)
        case end(EndAction)
    }

    /// The action to take to end a connection.
    public enum EndAction: Equatable, Sendable {
        /// Do nothing: the connection is already ending.
        case none
        /// Send this, stop reading, and report `outputFlushed` when the transport has taken it.
        case say(FrameKind, Refusal)
        /// Stop reading; report `outputWritten`, or `deadlinePassed` after
        /// `Limits.handshakeSeconds`.
        case awaitOutput
        /// Close it now, and tell the owner.
        case close(ConnectionEnd)
    }

    private struct Open: Sendable {
        /// The frame that must come before any other.
        var opening: FrameKind?
        let peer: Party
        /// Whether ordinary frames may pass. A front and a worker must first have attached.
        var isTalking: Bool
    }

    private enum State: Sendable {
        case idle
        /// The initiator awaits a welcome, the acceptor a hello.
        case shakingHands
        case admitting(Welcome, of: Party)
        case open(Open)
        /// The last frame, or other output, is still being written.
        case ending(ConnectionEnd)
        case ended
    }

    private let role: Role
    private let supported: ClosedRange<ProtocolVersion>
    private var state = State.idle
    /// The kinds delivered to the owner without another check; empty unless the connection is
    /// established.
    @usableFromInline var plain = FrameKindSet()
    /// Whether frames are accepted and may be sent.
    public private(set) var isOpen = true

    public init(role: Role, supported: ClosedRange<ProtocolVersion> = .oldest ... .current) {
        self.role = role
        self.supported = supported
    }

    /// The most bytes that the next frame from the peer may have after its length field.
    public var frameLimit: Int {
        guard case .open(let open) = state else { return Limits.handshakeFrameBytesMax }
        return limit(with: open.peer)
    }

    /// The same limit for the next frame to the peer, which reads an initiator's after its hello.
    public var outputLimit: Int {
        guard case .initiator(_, let peer) = role else { return frameLimit }
        return limit(with: peer)
    }

    private func limit(with peer: Party) -> Int {
        if local == .child || peer == .child { return Limits.frameBytesMax + callContextBytesMax }
        let isControl = local == .napkind || peer == .napkind
        return isControl ? Limits.controlFrameBytesMax : Limits.frameBytesMax
    }

    public var isEstablished: Bool {
        if case .open = state { true } else { false }
    }

    private var local: Party {
        switch role {
        case .initiator(let hello, _): Party(hello.role)
        case .acceptor(let party, _, _): party
        }
    }

    // MARK: - Set-up

    /// The connection exists, and the deadline of the handshake begins. Returns the initiator's
    /// hello.
    public mutating func connected() -> Hello? {
        guard case .idle = state else { return nil }
        state = .shakingHands
        if case .initiator(let hello, _) = role { return hello }
        return nil
    }

    /// The acceptor's owner has admitted the peer, or refuses it for this reason.
    public mutating func admissionDecided(_ refusal: Refusal?) -> AdmissionAction {
        guard case .admitting(let welcome, let peer) = state else { return .end(.none) }
        if let refusal { return .end(end(.refused(refusal), saying: .refused, refusal)) }
        establish(with: peer)
        return .welcome(welcome)
    }

    private mutating func establish(with peer: Party) {
        let opening = FrameKindSet.opening(from: peer, to: local)
        let talk = FrameKindSet.talk(from: peer, to: local)
        // Only a worker may send preparing frames before its opening frame.
        let early = peer == .worker ? FrameKindSet.preparation(from: peer, to: local) : .init()
        // The owner waits for pongs.
        plain = FrameKindSet([.pong]) + (opening == nil ? talk : early)
        state = .open(Open(opening: opening, peer: peer, isTalking: opening == nil))
    }

    /// The worker's owner has sent `attached`: from now on the front may send all of its frames.
    public mutating func attachedSent() {
        guard case .open(var open) = state else { return }
        open.opening = nil
        open.isTalking = true
        plain = FrameKindSet([.pong]) + .talk(from: open.peer, to: local)
        state = .open(open)
    }

    // MARK: - Frames

    /// A frame has arrived; `payload` is borrowed for the call.
    @inlinable @inline(__always)
    public mutating func frameReceived(
        _ header: FrameHeader, _ payload: UnsafeRawBufferPointer
    ) -> FrameAction {
        if plain.contains(header.kind) { return .deliver }
        return otherReceived(header, payload)
    }

    @inline(never) @usableFromInline
    mutating func otherReceived(
        _ header: FrameHeader, _ payload: UnsafeRawBufferPointer
    ) -> FrameAction {
        switch state {
        case .idle, .admitting, .ending, .ended: return .ignore
        case .shakingHands: return shakeHands(header, payload)
        case .open(var open):
            switch header.kind {
            case .ping: return .answerPing(header.sequence)
            case .goodbye:
                let refusal: Refusal? = payload.decoded()
                let reason = refusal ?? Refusal(.shuttingDown, "the other side said goodbye")
                return .end(close(.refused(reason)))
            case .attach where open.opening == .attach:
                // Until the worker has answered, a front sends only the contracts it is asked for.
                open.opening = nil
                plain = FrameKindSet([.pong]) + .preparation(from: open.peer, to: local)
            case .attached where open.opening == .attached:
                open.opening = nil
                open.isTalking = true
                plain = FrameKindSet([.pong]) + .talk(from: open.peer, to: local)
            default:
                let place = open.isTalking ? "where none is due" : "before the front was attached"
                let what = "a frame of the kind \(header.kind) from a \(open.peer), \(place)"
                return .end(violation(what))
            }
            state = .open(open)
            return .deliver
        }
    }

    private mutating func shakeHands(
        _ header: FrameHeader, _ payload: UnsafeRawBufferPointer
    ) -> FrameAction {
        switch (header.kind, role) {
        case (.hello, .acceptor(_, let server, let pid)):
            guard let hello: Hello = payload.decoded() else { break }
            if let refusal = hello.refusal {
                return .end(end(.violated(refusal.message), saying: .refused, refusal))
            }
            let newest = min(hello.newest, supported.upperBound)
            let oldest = max(hello.oldest, supported.lowerBound)
            guard oldest <= newest, oldest.major == newest.major else {
                let refusal = Refusal(.version, mismatch(with: hello, server))
                return .end(end(.violated(refusal.message), saying: .refused, refusal))
            }
            let welcome = Welcome(version: newest, server: server, pid: pid)
            state = .admitting(welcome, of: Party(hello.role))
            return .decideAdmission(hello)
        case (.welcome, .initiator(let hello, let peer)):
            guard let welcome: Welcome = payload.decoded() else { break }
            guard (hello.oldest...hello.newest).contains(welcome.version) else {
                let version = welcome.version
                return .end(violation("the server chose version \(version), which was not offered"))
            }
            establish(with: peer)
            return .established(welcome)
        case (.refused, _):
            guard let refusal: Refusal = payload.decoded() else { break }
            return .end(close(.refused(refusal)))
        default:
            let what = "a frame of the kind \(header.kind)"
            return .end(violation("\(what) arrived before the handshake was done"))
        }
        let what = "an unreadable \(header.kind) frame"
        return .end(violation("\(what) arrived before the handshake was done"))
    }

    private func mismatch(with hello: Hello, _ server: String) -> String {
        let ours = "\(server) speaks protocol \(supported.lowerBound) to \(supported.upperBound)"
        let theirs = "\(hello.client) speaks \(hello.oldest) to \(hello.newest)"
        let isOld = hello.newest < supported.lowerBound
        return "\(ours), \(theirs): update \(isOld ? hello.client : "and restart \(server)")"
    }

    // MARK: - Ending

    /// The bytes that arrived are not a frame.
    public mutating func streamBroke(_ error: FrameError) -> EndAction { violation("\(error)") }

    /// The owner found that the peer broke the protocol.
    public mutating func violationFound(_ what: String) -> EndAction { violation(what) }

    /// The owner refuses the peer for this reason.
    public mutating func refused(_ refusal: Refusal) -> EndAction {
        end(.refused(refusal), saying: isEstablished ? .goodbye : .refused, refusal)
    }

    /// The owner closes the connection.
    public mutating func closed() -> EndAction { close(.closed) }

    /// The peer will send no more, but it may still read pending output.
    public mutating func peerFinished(hasPendingOutput: Bool) -> EndAction {
        guard isOpen else { return .none }
        guard isEstablished, hasPendingOutput else { return close(.peerClosed) }
        stop(.ending(.peerClosed))
        return .awaitOutput
    }

    /// The transport failed, without a reason if it was reset, which counts as the peer's close.
    public mutating func transportFailed(_ reason: String?) -> EndAction {
        close(reason.map { .failed($0) } ?? .peerClosed)
    }

    /// All output has been handed to the transport, which may still hold some of it.
    public mutating func outputFlushed(hasPendingOutput: Bool) -> EndAction {
        guard case .ending(let end) = state else { return .none }
        return hasPendingOutput ? .awaitOutput : close(end)
    }

    /// The transport has written everything.
    public mutating func outputWritten() -> EndAction {
        guard case .ending(let end) = state else { return .none }
        return close(end)
    }

    /// `Limits.handshakeSeconds` have passed since `connected` or `awaitOutput`.
    public mutating func deadlinePassed() -> EndAction {
        switch state {
        case .shakingHands, .admitting:
            end(
                .silent, saying: .refused,
                Refusal(
                    .protocolViolation, "no handshake within \(Limits.handshakeSeconds) s"))
        case .ending(let end): close(end)
        case .idle, .open, .ended: .none
        }
    }

    private mutating func violation(_ what: String) -> EndAction {
        let refusal = Refusal(.protocolViolation, what)
        return end(.violated(what), saying: isEstablished ? .goodbye : .refused, refusal)
    }

    private mutating func end(
        _ end: ConnectionEnd, saying kind: FrameKind, _ refusal: Refusal
    ) -> EndAction {
        guard isOpen else { return .none }
        stop(.ending(end))
        return .say(kind, refusal)
    }

    private mutating func close(_ end: ConnectionEnd) -> EndAction {
        if case .ended = state { return .none }
        stop(.ended)
        return .close(end)
    }

    private mutating func stop(_ state: State) {
        self.state = state
        plain = FrameKindSet()
        isOpen = false
    }
}

/// A set of frame kinds, one bit each.
public struct FrameKindSet: Hashable, Sendable {
    @usableFromInline var bits: UInt64

    @inlinable
    init(bits: UInt64) { self.bits = bits }

    public init(_ kinds: [FrameKind] = []) { bits = kinds.reduce(0) { $0 | Self.bit($1) } }

    /// Kinds go up to 66. Those from 64 on use the bits of the unused kinds from 9 on.
    @inlinable @inline(__always)
    static func bit(_ kind: FrameKind) -> UInt64 {
        let number = kind.rawValue
        return 1 &<< UInt64(number < 64 ? number : number &- 55)
    }

    @inlinable @inline(__always)
    public func contains(_ kind: FrameKind) -> Bool { bits & Self.bit(kind) != 0 }

    public static func + (left: Self, right: Self) -> Self { Self(bits: left.bits | right.bits) }
}
