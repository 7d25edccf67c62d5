// ContainerEncoder: writes values through Codable.
//
// Isolation  confined: lives for one call of encodeContainers(_:)
// Ownership  holds the caller's writer during that call, so that an encoder that a type keeps
//            beyond it writes into an orphaned buffer and does no harm
// Invariant  bytes are written in order: only the innermost open container can grow
//
// A container's head is written as one byte for 0 items and patched when the container is
// closed: when its parent continues, or its value is done. Containers have no separate buffers;
// two containers that are filled alternately are refused as unsupported.
//
// A nil optional is left out (`encodeIfPresent`), as in generated code.

final class ContainerEncoder: Encoder {
    struct Frame {
        enum Kind { case map, array }

        let kind: Kind
        let serial: Int
        /// The position of the head.
        let head: Int
        var count = 0
    }

    /// Identifies a frame, as distinct from a later frame in the same place.
    struct FrameID {
        let level: Int
        let serial: Int

        static let none = FrameID(level: -1, serial: -1)
    }

    // SAFETY: @exclusivity(unchecked), here and below: an encoder is used by one thread, and
    // nothing that holds `writer` or `frames` exclusively can reach the encoder: a direct
    // encode(into:) sees the writer only.
    @exclusivity(unchecked) var writer: CBORWriter
    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }
    /// The error of a function that cannot throw.
    @exclusivity(unchecked) var fault: CBORError?

    @exclusivity(unchecked) private var frames: ContiguousArray<Frame> = []
    @exclusivity(unchecked) private var serials = 0
    /// The first frame that belongs to the value being encoded.
    @exclusivity(unchecked) private var floor = 0
    /// Where the value being encoded begins.
    @exclusivity(unchecked) private var valueStart: Int

    init(taking writer: consuming CBORWriter) {
        self.valueStart = writer.count
        self.writer = writer
    }

    // MARK: Values

    func encodeTop(_ value: some Encodable) throws {
        try value.encode(to: self)
        endValue()
        if let fault { throw fault }
    }

    /// Encodes one value inside the innermost container, or in place of the current value.
    @inline(__always)
    func encodeValue<T: Encodable>(_ value: T) throws {
        if try ShortCut.encode(value, into: &writer) { return }
        let outerFloor = floor
        let outerStart = valueStart
        floor = frames.count
        valueStart = writer.count
        try value.encode(to: self)
        endValue()
        floor = outerFloor
        valueStart = outerStart
        if let fault { throw fault }
    }

    /// Closes the value's open containers. A value that wrote nothing becomes an empty map.
    private func endValue() {
        closeFrames(downTo: floor)
        if writer.count == valueStart { writer.writeMapHeader(0) }
    }

    // MARK: Frames

    private func push(_ kind: Frame.Kind) -> FrameID {
        if frames.count >= CBORLimits.standard.depthMax {
            fault = CBORError(.depthExceeded, "more nesting than a reader accepts")
        }
        let id = FrameID(level: frames.count, serial: serials)
        frames.append(Frame(kind: kind, serial: serials, head: writer.count))
        serials += 1
        switch kind {
        case .map: writer.writeMapHeader(0)
        case .array: writer.writeArrayHeader(0)
        }
        return id
    }

    /// Returns the container of the current value: opens it, or finds it open.
    func openOwn(_ kind: Frame.Kind) -> FrameID {
        if frames.count > floor, frames[floor].kind == kind {
            return FrameID(level: floor, serial: frames[floor].serial)
        }
        guard writer.count == valueStart else { return refuse("two containers of one value") }
        return push(kind)
    }

    /// Opens a container inside another one, after its key or as its next element.
    func openNested(_ kind: Frame.Kind, in parent: FrameID, key: String? = nil) -> FrameID {
        do {
            try add(to: parent, key: key)
        } catch {
            fault = error
            return .none
        }
        return push(kind)
    }

    /// Refuses the encoder of a superclass: a message is a value.
    func refuseSuperclass() -> any Encoder {
        _ = refuse("a superclass")
        return self
    }

    private func refuse(_ what: StaticString) -> FrameID {
        fault = CBORError(.unsupported, "\(what)")
        return .none
    }

    /// Makes `id` the innermost container and counts one item in it.
    func add(to id: FrameID, key: String? = nil) throws(CBORError) {
        if id.level != frames.count - 1 || frames[id.level].serial != id.serial {
            guard id.level >= floor, id.level < frames.count,
                frames[id.level].serial == id.serial
            else { throw CBORError(.unsupported, "a container used after it was closed") }
            closeFrames(downTo: id.level + 1)
        }
        frames[id.level].count += 1
        if let key { writer.writeString(key) }
    }

    /// Returns the number of items in an open array so far.
    func count(of id: FrameID) -> Int {
        guard id.level >= 0, id.level < frames.count, frames[id.level].serial == id.serial else {
            return 0
        }
        return frames[id.level].count
    }

    /// Throws unless a single-value container may still write the current value.
    func beginSingle() throws(CBORError) {
        guard writer.count == valueStart else {
            throw CBORError(.unsupported, "a second value in a single-value container")
        }
    }

    private func closeFrames(downTo level: Int) {
        while frames.count > level, let frame = frames.popLast() {
            switch frame.kind {
            case .map: writer.patchHead(0xa0, frame.count, at: frame.head)
            case .array: writer.patchHead(0x80, frame.count, at: frame.head)
            }
        }
    }

    // MARK: Encoder

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        KeyedEncodingContainer(KeyedEncoding(encoder: self, frame: openOwn(.map)))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        UnkeyedEncoding(encoder: self, frame: openOwn(.array))
    }

    func singleValueContainer() -> any SingleValueEncodingContainer {
        SingleEncoding(encoder: self)
    }
}

extension CBORWriter {
    /// Replaces the one-byte head of an empty container with the head for `count` items.
    mutating func patchHead(_ major: UInt8, _ count: Int, at offset: Int) {
        let length = count < 24 ? 1 : count <= 0xff ? 2 : count <= 0xffff ? 3 : 5
        if length > 1 { insertGap(length - 1, at: offset) }
        _ = Self.storeHead(major, UInt64(count), at: base + offset)
    }

    /// Writes through the containers of Codable, even if the type is `DirectlyCodable`.
    ///
    /// Errors: a `CBORError`; the writer then has the same length as before.
    public mutating func encodeContainers<T: Encodable>(_ value: T) throws(CBORError) {
        // Bytes are a byte string even without a container around them.
        if T.self == [UInt8].self, try ShortCut.encode(value, into: &self) { return }
        let start = count
        var own = CBORWriter(capacity: 0)
        swap(&own, &self)
        let encoder = ContainerEncoder(taking: own)
        var failure: CBORError?
        do {
            try encoder.encodeTop(value)
        } catch let error as CBORError {
            failure = error
        } catch {
            failure = CBORError(.custom, "encode(to:) of \(T.self) threw \(type(of: error))")
        }
        swap(&encoder.writer, &self)
        if let failure {
            truncate(to: start)
            throw failure
        }
    }
}

/// A map being written through Codable.
struct KeyedEncoding<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let encoder: ContainerEncoder
    let frame: ContainerEncoder.FrameID

    var codingPath: [any CodingKey] { [] }

    @inline(__always)
    private func add(_ key: Key) throws(CBORError) {
        try encoder.add(to: frame, key: key.stringValue)
    }

    func encodeNil(forKey key: Key) throws {
        try add(key)
        encoder.writer.writeNull()
    }

    @inline(__always)
    func encode<T: Encodable>(_ value: T, forKey key: Key) throws {
        try add(key)
        try encoder.encodeValue(value)
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) -> KeyedEncodingContainer<Nested> {
        let nested = encoder.openNested(.map, in: frame, key: key.stringValue)
        return KeyedEncodingContainer(KeyedEncoding<Nested>(encoder: encoder, frame: nested))
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        let nested = encoder.openNested(.array, in: frame, key: key.stringValue)
        return UnkeyedEncoding(encoder: encoder, frame: nested)
    }

    func superEncoder() -> any Encoder { encoder.refuseSuperclass() }

    func superEncoder(forKey key: Key) -> any Encoder { encoder.refuseSuperclass() }
}

/// An array being written through Codable.
struct UnkeyedEncoding: UnkeyedEncodingContainer {
    let encoder: ContainerEncoder
    let frame: ContainerEncoder.FrameID

    var codingPath: [any CodingKey] { [] }
    var count: Int { encoder.count(of: frame) }

    func encodeNil() throws {
        try encoder.add(to: frame)
        encoder.writer.writeNull()
    }

    @inline(__always)
    func encode<T: Encodable>(_ value: T) throws {
        try encoder.add(to: frame)
        try encoder.encodeValue(value)
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type
    ) -> KeyedEncodingContainer<Nested> {
        let nested = encoder.openNested(.map, in: frame)
        return KeyedEncodingContainer(KeyedEncoding<Nested>(encoder: encoder, frame: nested))
    }

    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
        UnkeyedEncoding(encoder: encoder, frame: encoder.openNested(.array, in: frame))
    }

    func superEncoder() -> any Encoder { encoder.refuseSuperclass() }
}

/// One value being written through Codable, alone or for a superclass.
struct SingleEncoding: SingleValueEncodingContainer {
    let encoder: ContainerEncoder

    var codingPath: [any CodingKey] { [] }

    func encodeNil() throws {
        try encoder.beginSingle()
        encoder.writer.writeNull()
    }

    @inline(__always)
    func encode<T: Encodable>(_ value: T) throws {
        try encoder.beginSingle()
        try encoder.encodeValue(value)
    }
}
