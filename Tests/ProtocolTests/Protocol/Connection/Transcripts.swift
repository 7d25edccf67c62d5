// Transcripts: whole conversations, with every kind of frame, as bytes.

import NapkinCoding
import NapkinProtocol

/// One side's bytes, frame by frame.
struct Transcript {
    let role: ConnectionStateMachine.Role
    /// What arrives at this side.
    let frames: [[UInt8]]
    /// After which of them the worker's owner has sent `attached`.
    var attachedAfter: Int?

    var bytes: [UInt8] { frames.flatMap(\.self) }

    static func frame(_ header: FrameHeader, _ payload: [UInt8] = []) -> [UInt8] {
        var writer = CBORWriter()
        let start = header.begin(in: &writer)
        writer.append(payload)
        FrameHeader.finish(frameAt: start, in: &writer)
        return writer.copyBytes()
    }

    static func frame(_ header: FrameHeader, value: some Encodable) -> [UInt8] {
        var writer = CBORWriter()
        do {
            try header.write(into: &writer) { (writer) throws(CBORError) in
                try writer.write(value)
            }
        } catch {
            preconditionFailure("\(header.kind) cannot be encoded: \(error)")
        }
        return writer.copyBytes()
    }

    private static func hello(_ role: PeerRole) -> Hello {
        Hello(role: role, client: "test 1", ticket: "0123")
    }
    private static let welcome = Welcome(version: .current, server: "server 1", pid: 7)
    private static let ping = frame(FrameHeader(.ping, sequence: 3), value: "anyone?")
    private static let pong = frame(FrameHeader(.pong, sequence: 3), value: true)
    private static let goodbye = frame(
        FrameHeader(.goodbye), value: Refusal(.shuttingDown, "good night"))

    /// What a worker hears from a front.
    static let atWorker = Transcript(
        role: .acceptor(.worker, server: "server 1", pid: 7),
        frames: [
            frame(FrameHeader(.hello), value: hello(.front)),
            frame(FrameHeader(.attach), value: Attach(contracts: ["room": 1])),
            frame(FrameHeader(.contract), value: [String]()),
            frame(FrameHeader(.event, node: 1, epoch: 2, sequence: 1, method: 4), [1]),
            frame(FrameHeader(.received, sequence: 1)),
            frame(FrameHeader(.openURL, sequence: 1), value: OpenURL(url: "a://b")),
            frame(FrameHeader(.cancelWorkflow, sequence: 1)),
            frame(FrameHeader(.cancelEvent, sequence: 1)),
            frame(FrameHeader(.measured, sequence: 1), value: Measured(rows: [])),
            frame(FrameHeader(.askReply, sequence: 1), [0xF5]), ping, pong,
            frame(FrameHeader(.detach), value: true),
        ], attachedAfter: 2)

    /// What a front hears from a worker.
    static let atFront = Transcript(
        role: .initiator(hello(.front), towards: .worker),
        frames: [
            frame(FrameHeader(.welcome), value: welcome),
            frame(FrameHeader(.contractWanted), value: ["room"]),
            frame(
                FrameHeader(.attached),
                value: Attached(
                    app: "a", session: "s", front: 1, epoch: 2, window: 8, isResumed: false)),
            frame(FrameHeader(.schema), value: [String]()),
            frame(FrameHeader(.transition, flags: 1, epoch: 2), value: [String]()),
            frame(FrameHeader(.state, node: 1, epoch: 2, method: 5), [2]),
            // The one byte before, which stays.
            frame(FrameHeader(.stateDelta, node: 1, epoch: 2, method: 5), [0x81, 1]),
            frame(FrameHeader(.skipped), value: Skipped(states: 1)),
            frame(FrameHeader(.effect, node: 1, epoch: 2, method: 6), [3]),
            frame(FrameHeader(.log, node: 1, epoch: 2, sequence: 9, method: 8), [0x82, 0, 3]),
            frame(FrameHeader(.reply, sequence: 1), [4]),
            frame(FrameHeader(.fault, sequence: 2), value: Fault(code: "gone", message: "gone")),
            frame(FrameHeader(.ask, node: 1, epoch: 2, sequence: 1, method: 7), [5]),
            frame(
                FrameHeader(.workflowStep, sequence: 1),
                value: WorkflowStep(step: 1, of: 1, name: "n", state: "done")),
            frame(FrameHeader(.workflowEnded, sequence: 1), value: WorkflowEnded(.completed)),
            frame(FrameHeader(.renamed), value: Renamed(session: "t")),
            frame(FrameHeader(.measure, sequence: 1), value: Measure(seconds: 5)),
            frame(FrameHeader(.askEnded, sequence: 1)), pong, goodbye,
        ])

    /// What napkind hears from a front, a tool and a worker.
    static let atDoor = [
        Transcript(
            role: .acceptor(.napkind, server: "server 1", pid: 7),
            frames: [
                frame(FrameHeader(.hello), value: hello(.front)),
                frame(FrameHeader(.open, sequence: 1), value: Open(app: "a")), ping, goodbye,
            ]),
        Transcript(
            role: .acceptor(.napkind, server: "server 1", pid: 7),
            frames: [
                frame(FrameHeader(.hello), value: hello(.tool)),
                frame(FrameHeader(.query, sequence: 1), value: Query.apps), goodbye,
            ]),
        Transcript(
            role: .acceptor(.napkind, server: "server 1", pid: 7),
            frames: [
                frame(FrameHeader(.hello), value: hello(.worker)),
                frame(
                    FrameHeader(.register),
                    value: Register(app: "a", pid: 1, socket: "s", sessions: [])),
                frame(FrameHeader(.answer, sequence: 1), value: true), goodbye,
            ]),
    ]

    /// What a front and a worker hear from napkind.
    static let fromDoor = [
        Transcript(
            role: .initiator(hello(.front), towards: .napkind),
            frames: [
                frame(FrameHeader(.welcome), value: welcome),
                frame(
                    FrameHeader(.redirect, sequence: 1),
                    value: Redirect(socket: "s", ticket: "t", app: "a", session: "s")),
                frame(FrameHeader(.answer, sequence: 2), value: true),
                frame(
                    FrameHeader(.refused, sequence: 3), value: Refusal(.unknownApp, "no such app")),
                goodbye,
            ]),
        Transcript(
            role: .initiator(hello(.worker), towards: .napkind),
            frames: [
                frame(FrameHeader(.welcome), value: welcome),
                frame(
                    FrameHeader(.admit, sequence: 1),
                    value: Admit(ticket: "t", session: "s", pid: 1)),
                frame(FrameHeader(.query, sequence: 2), value: Query.sessions(app: "house")),
                frame(FrameHeader(.drain), value: true), goodbye,
            ]),
        Transcript(
            role: .initiator(hello(.front), towards: .worker),
            frames: [frame(FrameHeader(.refused), value: Refusal(.badTicket, "ask for another"))]),
    ]

    static let all = [atWorker, atFront] + atDoor + fromDoor
}

/// One end of a connection without a transport: bytes in, what becomes of each frame out.
struct WireEnd {
    struct Taken: Equatable {
        var header: FrameHeader
        var payload: [UInt8]
        var action: ConnectionStateMachine.FrameAction
    }

    /// Where the bytes come from, and what is kept of them.
    final class Stream {
        var machine: ConnectionStateMachine
        var taken: [Taken] = []
        var broken: ConnectionStateMachine.EndAction?
        private var decoder = FrameDecoder()
        private let attachedAfter: Int?

        init(_ role: ConnectionStateMachine.Role, attachedAfter: Int? = nil) {
            machine = ConnectionStateMachine(role: role)
            self.attachedAfter = attachedAfter
            _ = machine.connected()
        }

        func take(_ bytes: some Collection<UInt8>) {
            Array(bytes).withUnsafeBytes { bytes in
                var rest = bytes
                do throws(FrameError) {
                    while machine.isOpen, let frame = try decoder.next(&rest) { take(frame) }
                } catch {
                    broken = machine.streamBroke(error)
                }
            }
        }

        private func take(_ frame: Frame) {
            let action = machine.frameReceived(frame.header, frame.payload)
            if case .decideAdmission = action { _ = machine.admissionDecided(nil) }
            taken.append(
                Taken(header: frame.header, payload: Array(frame.payload), action: action))
            if taken.count - 1 == attachedAfter { machine.attachedSent() }
            decoder.limit = machine.frameLimit
        }
    }
}
