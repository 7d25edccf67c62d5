// Frame: the header of every frame, and the decoder that splits a byte stream into frames.
//
// Isolation  value; a decoder is owned by one connection.
// Ownership  a decoder keeps at most one undecoded frame: `limit` bytes and a length field. A
//            frame borrows its payload from the caller's bytes, or from the decoder until the
//            next call.
// Invariant  frames come out in the order of their bytes, each exactly once.
// Spec       Protocol/SPEC.md, section 5 (Framing)

public import NapkinCoding

/// The kind of a frame.
public enum FrameKind: UInt8, Sendable, CaseIterable {
    // Between any two parties.
    case hello = 1
    case welcome = 2
    case refused = 3
    case ping = 4
    case pong = 5
    case goodbye = 6
    case query = 7
    case answer = 8

    // Between a front and napkind.
    case open = 16
    case redirect = 17

    // Between a front and a worker.
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
    case log = 57
    case cancelEvent = 60

    // Between a worker and napkind.
    case register = 64
    case admit = 65
    case drain = 66
}

/// The fields of a frame's header. Fields that a kind does not use are zero.
///
/// | offset | size | field |
/// | --- | --- | --- |
/// | 0 | 4 | bytes after this field: 24 plus the payload |
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
    /// Bytes of the header, including the length field.
    public static let byteCount = HeaderBytes.all
    /// Bytes of the length field, which does not count itself.
    public static let lengthByteCount = HeaderBytes.length

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
    /// The flag of a `cancelEvent` caused by a deadline. Source: Protocol/SPEC.md, section 6.40
    /// (cancelEvent).
    public static let tooLateFlag: UInt8 = 1

    /// The flag of a `log` frame with which the log begins anew. Source: Protocol/SPEC.md, section
    /// 6.39 (log).
    public static let beginsAnewFlag: UInt8 = 1

    /// Whether a deadline caused this `cancelEvent`.
    public var isTooLate: Bool { flags & Self.tooLateFlag != 0 }

    /// Appends the header of a frame without a payload; returns where the frame begins.
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

    /// Sets the length of the frame that begins at `start` to the bytes appended since.
    @inlinable
    public static func finish(frameAt start: Int, in writer: inout CBORWriter) {
        let length = writer.count - start - lengthByteCount
        writer.overwrite(littleEndian: UInt32(truncatingIfNeeded: length), at: start)
    }

    /// Appends a whole frame; every frame with a payload is encoded here. After an error, nothing
    /// has been appended.
    ///
    /// - Parameter limit: the most bytes that the receiver accepts after the length field.
    ///
    /// Throws the errors of `payload`, and `lengthExceeded` above the limit.
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
        CBORError(.lengthExceeded, "a \(kind) frame of \(length) bytes; the limit is \(limit)")
    }

    /// Returns a whole frame with a payload that is already encoded.
    ///
    /// Throws `lengthExceeded` above the limit.
    public func encoded(
        payload: [UInt8], limit: Int = Limits.frameBytesMax
    ) throws(CBORError) -> [UInt8] {
        try encoded(limit: limit) { (writer) throws(CBORError) in writer.append(payload) }
    }

    /// Returns a whole frame with a value.
    ///
    /// Throws the errors of the value's coding, and `lengthExceeded` above the limit.
    public func encoded(
        _ value: some Encodable, limit: Int = Limits.frameBytesMax
    ) throws(CBORError) -> [UInt8] {
        try encoded(limit: limit) { (writer) throws(CBORError) in try writer.write(value) }
    }

    /// Returns a whole frame with the payload that the closure writes; see
    /// ``write(into:limit:_:)``.
    public func encoded(
        limit: Int = Limits.frameBytesMax,
        _ payload: (inout CBORWriter) throws(CBORError) -> Void
    ) throws(CBORError) -> [UInt8] {
        var writer = CBORWriter()
        try write(into: &writer, limit: limit, payload)
        return writer.copyBytes()
    }
}

/// The reason why a byte stream is not a sequence of frames. The connection that sent it is closed.
public enum FrameError: Error, Equatable, Sendable, CustomStringConvertible {
    case tooLong(bytes: Int, limit: Int)
    case tooShort(bytes: Int)
    case unknownKind(UInt8)
    case reservedBitsSet

    public var description: String {
        switch self {
        case .tooLong(let bytes, let limit):
            "a frame says that it has \(bytes) bytes; the limit here is \(limit)"
        case .tooShort(let bytes): "a frame says that it has \(bytes) bytes, less than its header"
        case .unknownKind(let kind): "a frame has the unknown kind \(kind)"
        case .reservedBitsSet: "a frame has reserved header bits set"
        }
    }
}

/// One whole frame, with its payload in borrowed memory.
public struct Frame {
    public let header: FrameHeader
    /// Valid until the decoder's next call, and no longer than the bytes that the decoder was
    /// given.
    public let payload: UnsafeRawBufferPointer

    /// Reads a whole frame, including its length field.
    @inlinable @inline(__always)
    init(parsing frame: UnsafeRawPointer, byteCount: Int) throws(FrameError) {
        header = try FrameHeader(parsing: frame)
        payload = UnsafeRawBufferPointer(
            start: frame + FrameHeader.byteCount, count: byteCount &- FrameHeader.byteCount)
    }
}

/// Splits a byte stream into frames, without copying frames that arrive whole.
public struct FrameDecoder: ~Copyable {
    /// The limit for the next frame, in bytes after the length field.
    public var limit: Int
    /// The beginning of an incomplete frame, or a frame that is lent out.
    private var kept: [UInt8] = []
    private var isLent = false
    /// Whether the decoder holds memory: for the beginning of a frame, or for a frame that is lent
    /// out.
    public private(set) var isHolding = false

    public init(limit: Int = Limits.handshakeFrameBytesMax) { self.limit = limit }

    /// Bytes kept until their frame is complete.
    public var bufferedBytes: Int { isLent ? 0 : kept.count }

    /// Returns the next frame of the stream, which continues with `bytes`, and removes it from
    /// `bytes`. If no whole frame is left, consumes all of `bytes` and returns `nil`.
    ///
    /// Throws at the first violation, after all frames before it have been returned.
    @inlinable
    public mutating func next(_ bytes: inout UnsafeRawBufferPointer) throws(FrameError) -> Frame? {
        guard !isHolding, bytes.count >= FrameHeader.lengthByteCount, let base = bytes.baseAddress
        else { return bytes.isEmpty && !isHolding ? nil : try nextFromPieces(&bytes) }
        let end = try end(of: UInt32(littleEndian: base.loadUnaligned(as: UInt32.self)))
        guard bytes.count >= end else { return try nextFromPieces(&bytes) }
        bytes = UnsafeRawBufferPointer(start: base + end, count: bytes.count &- end)
        return try Frame(parsing: base, byteCount: end)
    }

    @usableFromInline @inline(never)
    mutating func nextFromPieces(
        _ bytes: inout UnsafeRawBufferPointer
    ) throws(FrameError) -> Frame? {
        if isLent {
            isLent = false
            isHolding = false
            kept = []
            return try next(&bytes)
        }
        isHolding = true
        guard try complete(from: &bytes) else { return nil }
        isLent = true
        let count = kept.count
        // SAFETY: the array is not touched before the next call, as `Frame.payload` says.
        let base = kept.withUnsafeBytes { UnsafeRawPointer($0.baseAddress) }
        guard let base else { return nil }
        return try Frame(parsing: base, byteCount: count)
    }

    /// Moves bytes into `kept` until they are a whole frame; returns false if more are needed.
    private mutating func complete(
        from bytes: inout UnsafeRawBufferPointer
    ) throws(FrameError) -> Bool {
        while true {
            var wanted = FrameHeader.lengthByteCount
            if kept.count >= wanted {
                var length: UInt32 = 0
                for index in 0..<wanted { length |= UInt32(kept[index]) << UInt32(8 * index) }
                wanted = try end(of: length)
            }
            let missing = wanted - kept.count
            if missing == 0 { return true }
            if bytes.isEmpty { return false }
            let taken = min(missing, bytes.count)
            kept.append(contentsOf: bytes.prefix(taken))
            bytes = UnsafeRawBufferPointer(rebasing: bytes.dropFirst(taken))
        }
    }

    /// Returns where a frame with that length field ends.
    ///
    /// Throws if no frame may have that length.
    @inlinable @inline(__always)
    func end(of length: UInt32) throws(FrameError) -> Int {
        let length = Int(length)
        guard length <= limit else { throw .tooLong(bytes: length, limit: limit) }
        guard length >= FrameHeader.byteCount - FrameHeader.lengthByteCount else {
            throw .tooShort(bytes: length)
        }
        return FrameHeader.lengthByteCount &+ length
    }
}

extension FrameHeader {
    /// Reads the header of a whole frame, including its length field.
    @inlinable @inline(__always)
    init(parsing frame: UnsafeRawPointer) throws(FrameError) {
        let word = UInt32(littleEndian: frame.loadUnaligned(fromByteOffset: 4, as: UInt32.self))
        guard let kind = FrameKind(rawValue: UInt8(truncatingIfNeeded: word)) else {
            throw .unknownKind(UInt8(truncatingIfNeeded: word))
        }
        guard word >> 16 == 0 else { throw .reservedBitsSet }
        let place = UInt64(littleEndian: frame.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
        self.init(
            kind, flags: UInt8(truncatingIfNeeded: word >> 8),
            node: UInt32(truncatingIfNeeded: place), epoch: UInt32(truncatingIfNeeded: place >> 32),
            sequence: UInt64(
                littleEndian: frame.loadUnaligned(fromByteOffset: 16, as: UInt64.self)),
            method: UInt32(littleEndian: frame.loadUnaligned(fromByteOffset: 24, as: UInt32.self)))
    }
}
