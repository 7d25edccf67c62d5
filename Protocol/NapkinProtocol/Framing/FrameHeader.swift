// FrameHeader: the fixed part of every frame.
//
// Layer      sans-I/O core.
// Isolation  value.
// Spec       Protocol/SPEC.md, section 5 (Framing)

public import NapkinCoding

/// What a frame is.
public enum FrameKind: UInt8, Sendable, CaseIterable {
    // Any connection.
    case hello = 1
    case welcome = 2
    case refused = 3
    case ping = 4
    case pong = 5
    case goodbye = 6
    case query = 7
    case answer = 8

    // Front to napkind and back.
    case open = 16
    case redirect = 17

    // Front to worker and back.
    case attach = 32
    case attached = 33
    case transition = 34
    case state = 35
    case effect = 36
    case event = 37
    case reply = 38
    case fault = 39
    case ask = 40
    case askReply = 41
    case askEnded = 42
    case detach = 43
    case schema = 44
    case contractWanted = 45
    case contract = 46
    case received = 47
    case openURL = 48
    case workflowStep = 49
    case workflowEnded = 50
    case cancelWorkflow = 51
    case stateDelta = 52
    case skipped = 53
    case renamed = 54
    case measure = 55
    case measured = 56

    // Worker to napkind and back.
    case register = 64
    case admit = 65
    case drain = 66
}

/// The fields of a frame's header; those that a kind does not use are zero.
///
/// | offset | size | field |
/// | --- | --- | --- |
/// | 0 | 4 | bytes after this field: 24 and the payload's |
/// | 4 | 1 | kind |
/// | 5 | 1 | flags |
/// | 6 | 2 | reserved, zero |
/// | 8 | 4 | node |
/// | 12 | 4 | epoch |
/// | 16 | 8 | sequence |
/// | 24 | 4 | method |
///
/// All integers are little-endian.
public struct FrameHeader: Equatable, Sendable {
    /// Bytes of the header with its length field.
    public static let byteCount = 28
    /// Bytes of the length field, which does not count itself.
    public static let lengthByteCount = 4

    public var kind: FrameKind
    public var flags: UInt8
    public var node: UInt32
    public var epoch: UInt32
    public var sequence: UInt64
    public var method: UInt32

    @inlinable
    public init(
        _ kind: FrameKind, flags: UInt8 = 0, node: UInt32 = 0, epoch: UInt32 = 0,
        sequence: UInt64 = 0, method: UInt32 = 0
    ) {
        self.kind = kind
        self.flags = flags
        self.node = node
        self.epoch = epoch
        self.sequence = sequence
        self.method = method
    }
}

extension FrameHeader {
    /// Appends the header with a length of zero payload bytes; returns where the frame begins.
    @inlinable @inline(__always)
    public func begin(in writer: inout CBORWriter) -> Int {
        let start = writer.count
        let length = UInt32(Self.byteCount - Self.lengthByteCount)
        let kindAndFlags = UInt32(kind.rawValue) | UInt32(flags) << 8
        let place = UInt64(node) | UInt64(epoch) << 32
        writer.append(byteCount: Self.byteCount) {
            $0.storeBytes(of: length.littleEndian, as: UInt32.self)
            $0.storeBytes(of: kindAndFlags.littleEndian, toByteOffset: 4, as: UInt32.self)
            $0.storeBytes(of: place.littleEndian, toByteOffset: 8, as: UInt64.self)
            $0.storeBytes(of: sequence.littleEndian, toByteOffset: 16, as: UInt64.self)
            $0.storeBytes(of: method.littleEndian, toByteOffset: 24, as: UInt32.self)
        }
        return start
    }

    /// Sets the length of the frame that begins at `start` to what has been appended since.
    @inlinable
    public static func finish(frameAt start: Int, in writer: inout CBORWriter) {
        let length = writer.count - start - lengthByteCount
        writer.overwrite(littleEndian: UInt32(truncatingIfNeeded: length), at: start)
    }

    /// Appends a whole frame: the one door by which bytes become a frame that is sent. On an error
    /// nothing has been appended.
    ///
    /// - Parameter limit: bytes that the receiver takes after the length field.
    ///
    /// Throws what `payload` throws, and `lengthExceeded` past the limit.
    @inlinable @inline(__always)
    public func write(
        into writer: inout CBORWriter, limit: Int = Limits.frameBytesMax,
        _ payload: (inout CBORWriter) throws(CBORError) -> Void = { (_) throws(CBORError) in }
    ) throws(CBORError) {
        let start = begin(in: &writer)
        do {
            try payload(&writer)
        } catch {
            writer.truncate(to: start)
            throw error
        }
        let length = writer.count - start - Self.lengthByteCount
        guard length <= limit else {
            writer.truncate(to: start)
            throw tooLong(length, limit)
        }
        Self.finish(frameAt: start, in: &writer)
    }

    @inline(never) @usableFromInline
    func tooLong(_ length: Int, _ limit: Int) -> CBORError {
        CBORError(
            .lengthExceeded, "a \(kind) frame of \(length) bytes; the limit is \(limit)")
    }

    /// Returns a whole frame whose payload is encoded already.
    ///
    /// Throws `lengthExceeded` past the limit.
    public func encoded(
        payload: [UInt8], limit: Int = Limits.frameBytesMax
    ) throws(CBORError) -> [UInt8] {
        try encoded(limit: limit) { (writer) throws(CBORError) in writer.append(payload) }
    }

    /// Returns a whole frame with a value.
    ///
    /// Throws what the value's coding throws, and `lengthExceeded` past the limit.
    public func encoded(
        _ value: some Encodable, limit: Int = Limits.frameBytesMax
    ) throws(CBORError) -> [UInt8] {
        try encoded(limit: limit) { (writer) throws(CBORError) in try writer.write(value) }
    }

    /// Returns a whole frame with what `payload` writes; see ``write(into:limit:_:)``.
    public func encoded(
        limit: Int = Limits.frameBytesMax,
        _ payload: (inout CBORWriter) throws(CBORError) -> Void
    ) throws(CBORError) -> [UInt8] {
        var writer = CBORWriter()
        try write(into: &writer, limit: limit, payload)
        return writer.copyBytes()
    }
}
