// UnansweredEvents: the events of a front that wait for their answers, with their frames, and those
// that wait for credit.
//
// Layer      sans-I/O core. No sockets, clocks, locks, tasks or logging here.
// Isolation  value; part of one SessionFrontStateMachine.
// Ownership  keeps each event's frame until it is answered: it may have to be sent again.
// Invariant  `bytes` has the frames in ascending order of their events; at most as many bytes of
//            answered ones as of the others, and `garbageBytesMax` more.
// Spec       Protocol/SPEC.md, section 9 (Resume)

/// The frames lie in one buffer, so that an event costs no allocation.
@usableFromInline
struct UnansweredEvents<Token> {
    @usableFromInline
    struct Event {
        @usableFromInline var token: Token
        /// Counted from the first byte that was ever kept since the buffer was last empty.
        @usableFromInline var start: Int
        @usableFromInline var byteCount: Int

        @inlinable
        init(token: consuming Token, start: Int, byteCount: Int) {
            self.token = token
            self.start = start
            self.byteCount = byteCount
        }
    }

    /// Bytes of answered events that may lie among the others before they are moved together, and
    /// that an empty buffer may keep for what comes next. Chosen: a busy front's, times two.
    @inlinable static var garbageBytesMax: Int { 16 * 1024 }

    @usableFromInline var table = SequenceTable<Event>()
    @usableFromInline var bytes = FrameBuffer()
    @usableFromInline var liveBytes = 0

    @inlinable
    init() {}

    @inlinable var count: Int { table.count }

    @inlinable
    mutating func append(
        _ token: consuming Token, at sequence: UInt64, _ frame: UnsafeRawBufferPointer
    ) {
        let event = Event(token: token, start: bytes.count, byteCount: frame.count)
        bytes.append(frame)
        liveBytes += frame.count
        table.append(event, at: sequence)
    }

    @inlinable
    mutating func remove(_ sequence: UInt64) -> Token? {
        guard let event = table.remove(sequence) else { return nil }
        liveBytes -= event.byteCount
        if liveBytes == 0 {
            bytes.removeAll(keeping: Self.garbageBytesMax)
        } else if bytes.count > 2 * liveBytes + Self.garbageBytesMax {
            moveTogether()
        }
        return event.token
    }

    /// Every token, in the order of their events.
    mutating func removeAll() -> [Token] {
        let tokens = table.elements.map(\.value.token)
        self = UnansweredEvents()
        return tokens
    }

    /// Every frame, in the order of their events.
    @inlinable var frames: [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(liveBytes)
        for (_, event) in table.elements { result.append(contentsOf: frame(of: event)) }
        return result
    }

    @inlinable
    func frame(of event: Event) -> ArraySlice<UInt8> {
        bytes[event.start..<event.start + event.byteCount]
    }

    @inlinable @inline(never)
    mutating func moveTogether() {
        let moved = frames
        var start = 0
        table.update { event in
            event.start = start
            start += event.byteCount
        }
        bytes = FrameBuffer()
        moved.withUnsafeBytes { bytes.append($0) }
    }
}

extension UnansweredEvents: Sendable where Token: Sendable {}
extension UnansweredEvents.Event: Sendable where Token: Sendable {}

extension UnansweredEvents: Equatable where Token: Equatable {
    @usableFromInline
    static func == (left: Self, right: Self) -> Bool {
        left.count == right.count
            && zip(left.table.elements, right.table.elements).allSatisfy {
                $0.sequence == $1.sequence && $0.value.token == $1.value.token
                    && left.frame(of: $0.value) == right.frame(of: $1.value)
            }
    }
}

extension UnansweredEvents: Hashable where Token: Hashable {
    @usableFromInline
    func hash(into hasher: inout Hasher) {
        var index = table.head
        while index < table.older.count {
            if let event = table.older[index].value {
                hasher.combine(table.older[index].sequence)
                hasher.combine(event.token)
            }
            index += 1
        }
        if let event = table.newest.value {
            hasher.combine(table.newest.sequence)
            hasher.combine(event.token)
        }
        let isWhole = liveBytes == bytes.count
        hasher.combine(isWhole ? bytes[0..<liveBytes] : frames[...])
    }
}

/// The events that wait for credit: first come, first served. Taking the first moves nothing;
/// fewer places are empty than taken, or fewer than 64.
@usableFromInline
struct WaitingLine<Token> {
    @usableFromInline var places: [Token] = []
    @usableFromInline var head = 0

    @inlinable
    init() {}

    @inlinable var isEmpty: Bool { head == places.count }

    @inlinable
    mutating func append(_ token: Token) { places.append(token) }

    @inlinable
    mutating func removeFirst() -> Token? {
        guard !isEmpty else { return nil }
        let token = places[head]
        head += 1
        if head == places.count {
            self = WaitingLine()
        } else if head >= 64, head * 2 > places.count {
            places.removeFirst(head)
            head = 0
        }
        return token
    }

    mutating func removeAll() -> [Token] {
        defer { self = WaitingLine() }
        return Array(places[head...])
    }
}

extension WaitingLine: Sendable where Token: Sendable {}

extension WaitingLine: Equatable where Token: Equatable {
    @usableFromInline
    static func == (left: Self, right: Self) -> Bool {
        left.places[left.head...] == right.places[right.head...]
    }
}

extension WaitingLine: Hashable where Token: Hashable {
    @usableFromInline
    func hash(into hasher: inout Hasher) {
        var index = head
        while index < places.count {
            hasher.combine(places[index])
            index += 1
        }
    }
}
