// Wire: the bytes between a front and its session, under a test's control.
//
// Ownership  owns the two channels of the current connection; each keeps its lane.
// Invariant  bytes keep their order; cut bytes are lost, as with a socket.

import NapkinCoding
import NapkinFront
import NapkinProtocol
import NapkinRuntime
import NapkinTransport

/// Carries bytes in both directions, and can delay, split and cut them as a bad line does.
///
/// ```swift
/// let wire = Wire()
/// let front = try await session.attach(views, through: wire)
/// wire.piece = 1                          // every frame comes in single bytes
/// wire.hold(.toFront)                     // the front is slow
/// wire.cut(after: 100, .toSession)        // the line breaks in the middle of a frame
/// ```
@MainActor
package final class Wire {
    /// The direction of bytes.
    package enum Direction: Sendable, CaseIterable {
        case toFront
        case toSession
    }

    /// The bytes handed over at once; `nil` for as many as arrive. Each piece is delivered in a
    /// separate turn of the loop.
    package var piece: Int? {
        didSet { precondition(piece.map { $0 > 0 } ?? true, "a piece has at least one byte") }
    }

    /// The number of bytes handed over, on all connections.
    package private(set) var carried: [Direction: Int] = [.toFront: 0, .toSession: 0]

    /// Called for each connection through the wire, before the first byte: decide here where the
    /// connection breaks.
    package var whenConnected: (@MainActor () -> Void)?

    private var held: Set<Direction> = []
    private var budget: [Direction: Int] = [:]
    private var line: Line?

    package init() {}

    /// Whether ``cut(after:_:)`` was called and the connection has not broken yet.
    package var willBreak: Bool { !budget.isEmpty }

    // MARK: - A test's actions

    /// Carries nothing in this direction until ``release(_:)``. The sender gets no notice: first
    /// the kernel's buffers fill, then its own.
    package func hold(_ direction: Direction) {
        held.insert(direction)
        line?.lane(direction).pump()
    }

    /// Carries the held bytes, and all that follow.
    package func release(_ direction: Direction) {
        held.remove(direction)
        line?.lane(direction).pump()
    }

    /// Breaks the connection now. Bytes on the way are lost.
    package func cut() {
        let line = line
        self.line = nil
        budget = [:]
        line?.close()
    }

    /// Breaks the connection when `count` more bytes have been handed over in this direction.
    package func cut(after count: Int, _ direction: Direction) {
        budget[direction] = count
        if count == 0 { cut() }
    }

    /// Hands over a test's bytes, as if the other side had sent them. Insert whole frames, and only
    /// while nothing is under way: the bytes go to the current position of the stream.
    package func insert(_ bytes: [UInt8], _ direction: Direction) {
        line?.lane(direction).insert(bytes)
    }

    // MARK: - Connections

    /// Inserts the wire between the session's end of a connection and a front; returns the front's
    /// end.
    func insert(before session: Channel) throws(TransportError) -> Channel {
        cut()
        let (near, descriptor) = try Channel.pair()
        let front = try Channel.adopt(descriptor: descriptor)
        line = Line(self, session: session, front: near)
        whenConnected?()
        return front
    }

    fileprivate func isHeld(_ direction: Direction) -> Bool { held.contains(direction) }

    /// Returns how many of `count` bytes may be handed over now.
    fileprivate func allowance(_ count: Int, _ direction: Direction) -> Int {
        min(count, piece ?? count, budget[direction] ?? count)
    }

    fileprivate func handedOver(_ count: Int, _ direction: Direction) {
        carried[direction, default: 0] += count
        guard let rest = budget[direction] else { return }
        budget[direction] = rest - count
        if rest == count { cut() }
    }

    fileprivate func ended(_ line: Line) {
        if self.line === line { self.line = nil }
        line.close()
    }
}

/// One connection through a wire.
@MainActor
private final class Line {
    private let toFront: Lane
    private let toSession: Lane
    private let session: Channel
    private let front: Channel

    init(_ wire: Wire, session: Channel, front: Channel) {
        self.session = session
        self.front = front
        toFront = Lane(wire, .toFront, from: session, to: front)
        toSession = Lane(wire, .toSession, from: front, to: session)
        for lane in [toFront, toSession] { lane.start(self) }
    }

    func lane(_ direction: Wire.Direction) -> Lane { direction == .toFront ? toFront : toSession }

    /// Closes both ends once; the lanes then release the line.
    func close() {
        toFront.stop()
        toSession.stop()
        session.close()
        front.close()
    }

    func hasEnded(_ wire: Wire) {
        if toFront.isOver, toSession.isOver { wire.ended(self) }
    }
}

/// One direction of one connection.
@MainActor
private final class Lane: ChannelDelegate {
    private let wire: Wire
    private let direction: Wire.Direction
    private let source: Channel
    private let target: Channel
    private var line: Line?
    private var backlog: [UInt8] = []
    private var sourceEnded = false
    private var turn: LoopTimer?

    init(_ wire: Wire, _ direction: Wire.Direction, from source: Channel, to target: Channel) {
        self.wire = wire
        self.direction = direction
        self.source = source
        self.target = target
    }

    /// Whether the source has ended, and the target has received everything.
    var isOver: Bool { sourceEnded && backlog.isEmpty }

    func start(_ line: Line) {
        self.line = line
        source.delegate = self
        pump()
    }

    func stop() {
        turn.take()?.cancel()
        backlog = []
        line = nil
    }

    /// Reads and hands over as much as the wire now allows.
    func pump() {
        guard line != nil else { return }
        if wire.isHeld(direction) { return source.stopReading() }
        source.startReading()
        handOver()
    }

    func insert(_ bytes: [UInt8]) {
        precondition(backlog.isEmpty, "bytes are under way: these would come between them")
        bytes.withUnsafeBytes { target.write($0) }
    }

    private func handOver() {
        guard turn == nil, line != nil, !wire.isHeld(direction) else { return }
        let count = wire.allowance(backlog.count, direction)
        if count > 0 {
            backlog.withUnsafeBytes { target.write(UnsafeRawBufferPointer(rebasing: $0[..<count])) }
            backlog.removeFirst(count)
            wire.handedOver(count, direction)
        }
        guard let line else { return }
        if !backlog.isEmpty {
            // The next piece goes in a separate turn, so that it is read alone.
            turn = LoopTimer(after: .zero) { [weak self] in
                self?.turn = nil
                self?.handOver()
            }
        } else if sourceEnded {
            target.shutdownOutput()
            line.hasEnded(wire)
        }
    }

    func channel(_ channel: Channel, didRead bytes: UnsafeRawBufferPointer) {
        backlog += bytes
        handOver()
    }

    func channelDidReachEnd(_ channel: Channel) { end() }

    func channel(_ channel: Channel, didFailWith error: TransportError) { end() }

    func channelDidClose(_ channel: Channel) { end() }

    func channelDidDrain(_ channel: Channel) {}

    private func end() {
        guard !sourceEnded else { return }
        sourceEnded = true
        handOver()
    }
}

/// Connects fronts to one session.
@MainActor
final class LoopbackRoute: FrontRoute {
    private let host: () -> SessionHost

    /// - Parameter host: returns the session at the time of a connection.
    init(_ host: @escaping () -> SessionHost) { self.host = host }

    func connect(_ options: FrontOptions) async throws(FrontError) -> FrontPassage {
        do throws(TransportError) {
            let (near, descriptor) = try Channel.pair()
            ArrivingFront.admit(try Channel.adopt(descriptor: descriptor), to: host())
            return FrontPassage(channel: near, ticket: "loopback")
        } catch {
            throw FrontError(.disconnected, "no socket for the loopback: \(error)")
        }
    }
}

/// The session's side of a connection until the front asks to attach; kept by its link.
@MainActor
private final class ArrivingFront: LinkDelegate {
    private let host: SessionHost

    private init(_ host: SessionHost) { self.host = host }

    static func admit(_ channel: Channel, to host: SessionHost) {
        let role = ConnectionStateMachine.Role.acceptor(.worker, server: "test", pid: 1)
        Link(channel: channel, role: role).start(ArrivingFront(host))
    }

    func link(_ link: Link, received header: FrameHeader, _ payload: UnsafeRawBufferPointer) {
        guard header.kind == .attach else {
            return link.violate("a frame of the kind \(header.kind) before attach")
        }
        do {
            var reader = CBORReader(payload)
            host.join(link, try reader.read(Attach.self))
        } catch {
            link.violate("an unreadable attach frame: \(error)")
        }
    }

    func linkEnded(_ link: Link, _ end: ConnectionEnd) {}
}
