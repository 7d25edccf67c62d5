// WaitingLine: those who wait for credit, in the order in which they came.
//
// Layer      sans-I/O core.
// Isolation  value; part of one SessionFrontStateMachine.
// Invariant  fewer places are empty than taken, or fewer than 64.

/// First come, first served; taking the first moves nothing.
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
