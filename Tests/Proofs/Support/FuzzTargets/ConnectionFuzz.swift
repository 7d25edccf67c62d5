// ConnectionFuzz: the connection machine in each of its roles, fed with any frames and events.
//
// Spec       Protocol/SPEC.md, sections 4 (Connection set-up) and 10 (Errors)

import NapkinCoding
import NapkinProtocol

/// A connection, the decoder before it and an owner that does what the machine wants.
struct ConnectionFuzz {
    private static let roles: [ConnectionStateMachine.Role] = [
        .acceptor(.napkind, server: "fuzz", pid: 1),
        .acceptor(.worker, server: "fuzz", pid: 1),
        .initiator(Hello(role: .front, client: "fuzz", ticket: nil), towards: .napkind),
        .initiator(Hello(role: .front, client: "fuzz", ticket: "t"), towards: .worker),
        .initiator(Hello(role: .tool, client: "fuzz", ticket: nil), towards: .napkind),
        .initiator(Hello(role: .worker, client: "fuzz", ticket: nil), towards: .napkind),
    ]
    /// What belongs to the machine and never to an owner; `refused` may answer a request.
    private static let machines: Set<FrameKind> = [.hello, .welcome, .ping, .goodbye]

    private var machine: ConnectionStateMachine
    private let isRefusing: Bool
    private var wasClosed = false
    private var hasSpoken = false

    /// The first byte chooses the role, and whether the owner refuses the peer; the second what
    /// happens besides, and after how many frames; the rest is the stream from the other side.
    static func run(_ bytes: [UInt8]) {
        guard bytes.count >= 2 else { return }
        var fuzz = ConnectionFuzz(
            role: roles[Int(bytes[0] & 0x7F) % roles.count], isRefusing: bytes[0] & 0x80 != 0)
        fuzz.feed(Array(bytes[2...]), event: Int(bytes[1] >> 4), after: Int(bytes[1] & 15))
    }

    private init(role: ConnectionStateMachine.Role, isRefusing: Bool) {
        machine = ConnectionStateMachine(role: role)
        self.isRefusing = isRefusing
        let hello = machine.connected()
        var isInitiator = false
        if case .initiator = role { isInitiator = true }
        precondition((hello != nil) == isInitiator, "the initiator speaks first, and only it")
        precondition(machine.connected() == nil, "a connection begins twice")
        precondition(machine.isOpen && !machine.isEstablished)
    }

    private mutating func feed(_ bytes: [UInt8], event: Int, after count: Int) {
        var decoder = FrameDecoder(limit: machine.frameLimit)
        var taken = 0
        do throws(FrameError) {
            try bytes.withUnsafeBufferPointer { (buffer) throws(FrameError) in
                var rest = UnsafeRawBufferPointer(buffer)
                while machine.isOpen, let frame = try decoder.next(&rest) {
                    if taken == count { happen(event) }
                    taken += 1
                    take(frame)
                    decoder.limit = machine.frameLimit
                }
            }
        } catch {
            perform(machine.streamBroke(error))
            precondition(!machine.isOpen, "a broken stream goes on")
        }
        // Whatever state that was, it comes to its end, once.
        for event in 0..<8 { happen(event) }
        perform(machine.closed())
        precondition(wasClosed, "a connection does not end")
    }

    private mutating func take(_ frame: Frame) {
        let wasOpen = machine.isOpen
        let wasEstablished = machine.isEstablished
        switch machine.frameReceived(frame.header, frame.payload) {
        case .deliver:
            precondition(wasEstablished, "a frame is delivered before the handshake is done")
            precondition(wasOpen, "a frame is delivered after the end")
            precondition(!Self.machines.contains(frame.header.kind), "\(frame.header.kind)")
            // A worker attaches its front at once.
            if frame.header.kind == .attach { machine.attachedSent() }
        case .ignore: break
        case .answerPing(let sequence):
            precondition(wasEstablished && sequence == frame.header.sequence)
        case .decideAdmission:
            precondition(!wasEstablished, "a peer is admitted twice")
            decide()
        case .established:
            precondition(!wasEstablished && machine.isEstablished, "established twice")
        case .end(let action): perform(action)
        }
    }

    private mutating func decide() {
        let refusal = isRefusing ? Refusal(.badTicket, "no") : nil
        switch machine.admissionDecided(refusal) {
        case .welcome: precondition(!isRefusing && machine.isEstablished, "refused, and welcome")
        case .end(let action):
            precondition(isRefusing, "admitted, and refused")
            perform(action)
        }
        precondition(machine.admissionDecided(nil) == .end(.none), "a peer is admitted twice")
    }

    private mutating func happen(_ event: Int) {
        switch event {
        case 0: perform(machine.violationFound("fuzz"))
        case 1: perform(machine.refused(Refusal(.overloaded, "fuzz")))
        case 2: perform(machine.peerFinished(hasPendingOutput: true))
        case 3: perform(machine.outputFlushed(hasPendingOutput: true))
        case 4: perform(machine.outputFlushed(hasPendingOutput: false))
        case 5: perform(machine.deadlinePassed())
        case 6: perform(machine.outputWritten())
        case 7: perform(machine.transportFailed(nil))
        case 8: perform(machine.peerFinished(hasPendingOutput: false))
        case 9: perform(machine.closed())
        case 10: machine.attachedSent()
        default: break
        }
    }

    private mutating func perform(_ action: ConnectionStateMachine.EndAction) {
        switch action {
        case .none: break
        case .say(let kind, _):
            precondition(!hasSpoken && !wasClosed, "a second farewell")
            precondition(kind == .refused || kind == .goodbye, "\(kind) is no farewell")
            precondition(!machine.isOpen && !machine.isEstablished, "open after a farewell")
            hasSpoken = true
        case .awaitOutput:
            precondition(!machine.isOpen && !wasClosed, "output is awaited after the end")
        case .close:
            precondition(!wasClosed, "a connection ends twice")
            precondition(!machine.isOpen, "open after the end")
            wasClosed = true
        }
    }
}
