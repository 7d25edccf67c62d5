// FrameDecoder: turns a byte stream into frames.
//
// Layer      sans-I/O core. No sockets, clocks, locks, tasks or logging here.
// Isolation  value; owned by one connection.
// Ownership  keeps at most one undecoded frame: `limit` bytes and a length field. A frame's payload
//            is borrowed: from the caller's bytes, or from here until the next call.
// Invariant  frames come out in the order of their bytes, each exactly once.
// Spec       Protocol/SPEC.md, section 5 (Framing)

/// Why a byte stream is not a sequence of frames. The connection that sent it is closed.
public enum FrameError: Error, Equatable, Sendable, CustomStringConvertible {
    case tooLong(bytes: Int, limit: Int)
    case tooShort(bytes: Int)
    case unknownKind(UInt8)
    case reservedBitsSet

    public var description: String {
        switch self {
        case .tooLong(let bytes, let limit):
            "a frame says that it has \(bytes) bytes; the limit here is \(limit)"
        case .tooShort(let bytes):
            "a frame says that it has \(bytes) bytes, less than its header"
        case .unknownKind(let kind): "a frame has the unknown kind \(kind)"
        case .reservedBitsSet: "a frame has reserved header bits set"
        }
    }
}

/// One whole frame; its payload lies in memory that somebody else owns.
public struct Frame {
    public let header: FrameHeader
    /// Valid until the decoder's next call, and no longer than the bytes that it was given.
    public let payload: UnsafeRawBufferPointer

    /// Reads a whole frame, its length field included.
    @inlinable @inline(__always)
    init(parsing frame: UnsafeRawPointer, byteCount: Int) throws(FrameError) {
        header = try FrameHeader(parsing: frame)
        payload = UnsafeRawBufferPointer(
            start: frame + FrameHeader.byteCount, count: byteCount &- FrameHeader.byteCount)
    }
}

/// Splits what arrives into frames, without copying those that arrive whole.
public struct FrameDecoder: ~Copyable {
    /// The limit for the next frame, in bytes after the length field.
    public var limit: Int
    /// The beginning of a frame whose rest has not arrived, or a frame that is lent out.
    private var kept: [UInt8] = []
    private var isLent = false
    /// Whether memory is held: for the beginning of a frame, or for one that is lent out.
    public private(set) var isHolding = false

    public init(limit: Int = Limits.handshakeFrameBytesMax) {
        self.limit = limit
    }

    /// Bytes kept until the rest of their frame arrives.
    public var bufferedBytes: Int { isLent ? 0 : kept.count }

    /// The next frame of the stream that goes on with `bytes`; moves `bytes` behind it. When no
    /// whole frame is left, takes all of `bytes` and returns `nil`.
    ///
    /// Throws at the first violation; the frames before it have been returned.
    @inlinable
    public mutating func next(
        _ bytes: inout UnsafeRawBufferPointer
    ) throws(FrameError) -> Frame? {
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

    /// Moves bytes into `kept` until they are a whole frame; false when more is needed.
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

    /// Where a frame with that length field ends, if a frame may be that long.
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
    /// Reads the header of a whole frame, its length field included.
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
