// ChildMessages: what crosses the line between a worker and the process of one of its children.
//
// Spec       Protocol/CHILD.md, section 2 (Messages)

import NapkinCoding
import NapkinCore
import NapkinProtocol

typealias LineResult = Result<Payload, RemoteFault>

/// The frames that one side sends between two suspensions in which its state has changed, as far
/// as they are known. They follow the state, and the peer handles all of it as one input.
struct ChildStretch {
    /// Bytes of the frames that one side holds. Chosen: half of what may wait for a peer.
    static let bytesMax = Limits.orderedBacklogBytesMax / 2

    var cause: UInt64 = 0
    /// Whether the interactor has learned in it of the handlers that were interrupted.
    var isTold = false
    var state = Payload()
    /// How many frames follow the state.
    var count: UInt32 = 0
    var frames: [(header: FrameHeader, payload: [UInt8])] = []
    private(set) var byteCount = 0
    /// Bytes reserved for the state.
    var reserved = 0

    /// Whether it must end now.
    var isFull: Bool { byteCount + reserved > Self.bytesMax }
    /// Whether it has more than a side holds.
    var isTooLong: Bool {
        let frame = HeaderBytes.length + Limits.frameBytesMax + callContextBytesMax
        return byteCount > Self.bytesMax + frame
    }

    mutating func add(_ header: FrameHeader, _ payload: [UInt8]) {
        frames.append((header, payload))
        byteCount += HeaderBytes.all + payload.count
    }

    mutating func withdraw(where shouldDrop: (FrameHeader) -> Bool) -> [FrameHeader] {
        let former = frames
        (frames, byteCount) = ([], 0)
        for frame in former where !shouldDrop(frame.header) { add(frame.header, frame.payload) }
        return former.map(\.header).filter(shouldDrop)
    }
}

/// A call that this side has made.
@MainActor
final class LineEvent: PendingEvent {
    private let header: FrameHeader
    let payload: Payload
    let origin: IncomingCall?
    /// 0 while it waits for credit.
    var number: UInt64 = 0
    /// Whether its handler has changed a state that is kept.
    var hasChanged = false

    init(_ header: FrameHeader, _ payload: Payload, origin: IncomingCall?) {
        (self.header, self.payload, self.origin) = (header, payload, origin)
        super.init()
    }

    var method: MethodID { MethodID(rawValue: header.method) }

    func header(_ number: UInt64) -> FrameHeader {
        var header = header
        header.sequence = number
        return header
    }

    /// The arguments of a front's event, which are behind its caller.
    var arguments: [UInt8]? {
        payload.bytes.withUnsafeBytes { bytes in
            // It was written here.
            (try? bytes.context(ChildCaller?.self)).map { Array($0.1) }
        }
    }

    /// Waits for the answer. Call it once, directly after `begin`.
    func answer() async throws(RemoteFault) -> Payload {
        if isPending { await gate.pass() }
        if isPending { await keepWaiting() }
        return try payload()
    }
}

extension QuestionTerms {
    /// Returns a question's result with the front that has answered it before the answer.
    func naming(
        _ result: Result<Payload, RemoteFault>
    ) -> Result<Payload, RemoteFault> {
        guard case .success(let answer) = result else { return result }
        do {
            return .success(
                try Payload { (writer) throws(CBORError) in
                    try writer.write(answeredBy.map(ChildCaller.init))
                    writer.append(answer.bytes)
                })
        } catch {
            return .failure(RemoteFault(.failed, "the answer cannot be passed on: \(error)"))
        }
    }
}

extension FrameHeader {
    /// The flag of a message that one front alone gets, whose number is the header's node.
    static let addressedFlag: UInt8 = 1
    /// The flag of a question whose answer begins with the front that has given it.
    static let namesAnswererFlag: UInt8 = 2
    /// The flag of a question that waits while no front is there.
    static let waitsForFrontsFlag: UInt8 = 4
    /// The flag of a state that is the interactor's, to be kept, and not a view's.
    static let keptFlag: UInt8 = 1
    /// The flag of a kept state whose interactor has learned of the interrupted handlers.
    static let toldFlag: UInt8 = 2

    /// The terms of a question, as the child has set them.
    @MainActor var terms: QuestionTerms? {
        guard flags & Self.namesAnswererFlag != 0 else { return nil }
        return QuestionTerms(waitsForFronts: flags & Self.waitsForFrontsFlag != 0)
    }

    init(audience: UInt64?, _ kind: FrameKind, _ method: MethodID) {
        self.init(
            kind, flags: audience == nil ? 0 : Self.addressedFlag,
            node: UInt32(clamping: audience ?? 0), method: method.rawValue)
    }

    /// The number of the only front that gets a message; `nil` if all do.
    var audience: UInt64? { flags & Self.addressedFlag == 0 ? nil : UInt64(node) }
}

/// What a child's process begins with, before its arguments.
@Message
struct ChildStart {
    /// Whether the state that was sent is one that was restored.
    var isRestored: Bool
    /// The handlers that did not return in the last process, and had changed the state.
    var interrupted: [InterruptedEvent]
}

/// The front whose event is passed on to a child.
@Message
struct ChildCaller {
    var id: UInt64
    var client: String
    var name: String?
    var user: UInt32
    var isReadOnly: Bool
    var isAskable: Bool

    init(_ front: AttachedFront) {
        (id, client, name, user) = (front.id, front.client, front.name, front.user)
        (isReadOnly, isAskable) = (front.isReadOnly, front.isAskable)
    }

    var front: AttachedFront {
        AttachedFront(
            id: id, client: client, name: name, user: user, isReadOnly: isReadOnly,
            isAskable: isAskable)
    }
}

extension UnsafeRawBufferPointer {
    /// Reads the context of a call, and returns it with the arguments after it.
    func context<T: DirectlyCodable>(
        _ type: T.Type = T.self
    ) throws(CBORError) -> (T, UnsafeRawBufferPointer) {
        var reader = CBORReader(self)
        let context = try reader.read(type)
        return (context, UnsafeRawBufferPointer(rebasing: self[reader.offset...]))
    }
}
