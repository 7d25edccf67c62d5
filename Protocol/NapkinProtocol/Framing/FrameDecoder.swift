// FrameDecoder: turns a byte stream into frames.
//
// Layer      sans-I/O core. No sockets, clocks, locks, tasks or logging here.
// Isolation  none of its own; a value owned by one connection.
// Ownership  keeps at most one undecoded frame: `limit` bytes and a length field.
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

/// Whether the receiver of a frame wants the next one.
public enum FrameVerdict: Sendable {
    case goOn
    /// The connection is closing: what follows is dropped.
    case stop
}

/// Splits what arrives into frames, without copying those that arrive whole.
public struct FrameDecoder: Sendable {
    /// The limit for the next frame, in bytes after the length field.
    public var limit: Int
    private var partial: [UInt8] = []

    public init(limit: Int = Limits.handshakeFrameBytesMax) {
        self.limit = limit
    }

    /// Bytes kept until the rest of their frame arrives.
    public var bufferedBytes: Int { partial.count }

    /// Decodes `bytes`, calling `body` with each complete frame; the payload is borrowed for the
    /// call. The limit is read anew for each frame, so that `body` may raise it between calls of
    /// this method, not within one.
    ///
    /// Throws at the first violation; the frames before it have been delivered.
    public mutating func receive(
        _ bytes: UnsafeRawBufferPointer,
        _ body: (FrameHeader, UnsafeRawBufferPointer) -> FrameVerdict
    ) throws(FrameError) {
        var rest = bytes
        if !partial.isEmpty {
            guard try completePartial(from: &rest) else { return }
            let whole = partial
            partial = []
            if try whole.withFrame(body) == .stop { return }
        }
        while rest.count >= FrameHeader.lengthByteCount {
            let prefix = UInt32(littleEndian: rest.loadUnaligned(as: UInt32.self))
            let end = FrameHeader.lengthByteCount + (try checked(prefix))
            guard rest.count >= end else { break }
            let frame = UnsafeRawBufferPointer(rebasing: rest.prefix(end))
            rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(end))
            if body(try FrameHeader(parsing: frame), frame.payload) == .stop { return }
        }
        if !rest.isEmpty { partial = Array(rest) }
    }

    /// Moves bytes from `rest` until the partial frame is whole; false when it is not yet.
    private mutating func completePartial(
        from rest: inout UnsafeRawBufferPointer
    ) throws(FrameError) -> Bool {
        while true {
            var wanted = FrameHeader.lengthByteCount
            if partial.count >= wanted {
                var prefix: UInt32 = 0
                for index in 0..<4 { prefix |= UInt32(partial[index]) << UInt32(8 * index) }
                wanted += try checked(prefix)
            }
            let missing = wanted - partial.count
            if missing == 0 { return true }
            if rest.isEmpty { return false }
            let taken = min(missing, rest.count)
            partial.append(contentsOf: rest.prefix(taken))
            rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(taken))
        }
    }

    /// A length field's value, if a frame may be that long.
    @inline(__always)
    private func checked(_ prefix: UInt32) throws(FrameError) -> Int {
        let length = Int(prefix)
        guard length <= limit else { throw .tooLong(bytes: length, limit: limit) }
        guard length >= FrameHeader.byteCount - FrameHeader.lengthByteCount else {
            throw .tooShort(bytes: length)
        }
        return length
    }
}

extension FrameHeader {
    /// Reads the header of a whole frame, its length field included.
    @inline(__always)
    init(parsing frame: UnsafeRawBufferPointer) throws(FrameError) {
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

extension UnsafeRawBufferPointer {
    fileprivate var payload: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: dropFirst(FrameHeader.byteCount))
    }
}

extension [UInt8] {
    fileprivate func withFrame(
        _ body: (FrameHeader, UnsafeRawBufferPointer) -> FrameVerdict
    ) throws(FrameError) -> FrameVerdict {
        let result: Result<FrameVerdict, FrameError> = withUnsafeBytes { frame in
            Result { () throws(FrameError) in
                body(try FrameHeader(parsing: frame), frame.payload)
            }
        }
        return try result.get()
    }
}
