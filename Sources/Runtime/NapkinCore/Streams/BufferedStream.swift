// BufferedStream: a service's stream for one reader: a bounded buffer that a task waits on.
//
// Isolation  any thread (Mutex); a reader continues where it is isolated.
// Ownership  the sender keeps the buffer; stream and iterator keep the reader, and when the reader
//            ends, the sender drops the buffer.
// Invariant  at most `limit` elements wait; beyond that the oldest is dropped.
//
// AsyncStream hops to the global executor for each element, even if the element is already there
// (Swift 6.3.1, measured): a feature's first states would come after its mount, and each change
// would cost two hops between threads. Here an element that is already there is returned at once.

import Synchronization

/// Elements for one reader at a time; ends when the task is cancelled or the sender is released.
public struct BufferedStream<Element: Sendable>: AsyncSequence, Sendable {
    public typealias Failure = Never

    fileprivate let reader: Reader

    /// Iterates over the elements, in order.
    public struct Iterator: AsyncIteratorProtocol {
        public typealias Failure = Never

        fileprivate let reader: Reader

        /// The next element; `nil` at the end.
        public mutating func next() async -> Element? {
            await reader.buffer.next(isolation: #isolation)
        }

        /// The next element, without leaving `actor`; `nil` at the end.
        public mutating func next(
            isolation actor: isolated (any Actor)? = #isolation
        ) async -> Element? {
            await reader.buffer.next(isolation: actor)
        }
    }

    public func makeAsyncIterator() -> Iterator { Iterator(reader: reader) }

    /// The reader: when it ends, the stream ends.
    fileprivate final class Reader: Sendable {
        let buffer: StreamBuffer<Element>
        private let inventoryEntry: InventoryEntry

        init(_ buffer: StreamBuffer<Element>, _ source: InventoryLabel) {
            self.buffer = buffer
            inventoryEntry = (InventoryAccount.current ?? .unowned).open(.stream, source)
        }

        deinit { buffer.leave() }
    }

    /// - Parameter source: the inventory's description of the stream, if it is left.
    init(_ buffer: StreamBuffer<Element>, of source: InventoryLabel) {
        reader = Reader(buffer, source)
    }
}

/// The sender's end of a stream.
final class StreamBuffer<Element: Sendable>: Sendable {
    private struct State {
        var elements: [Element] = []
        var hasEnded = false
        var waiter: CheckedContinuation<Element?, Never>?

        /// Removes and returns the reader's next result.
        mutating func take() -> Turn {
            if !elements.isEmpty { return .element(elements.removeFirst()) }
            return hasEnded ? .end : .wait
        }
    }

    private enum Turn {
        case element(Element)
        case end
        case wait
    }

    private let limit: Int
    private let state = Mutex(State())
    private let left: @Sendable () -> Void

    /// - Parameters:
    ///   - limit: the most elements that wait for the reader.
    ///   - left: called once, when nobody can read any longer.
    init(limit: Int, left: @escaping @Sendable () -> Void) {
        self.limit = limit
        self.left = left
    }

    func send(_ element: Element) {
        let waiter = state.withLock { state -> CheckedContinuation<Element?, Never>? in
            guard !state.hasEnded else { return nil }
            if let waiter = state.waiter.take() { return waiter }
            if state.elements.count == limit { state.elements.removeFirst() }
            state.elements.append(element)
            return nil
        }
        waiter?.resume(returning: element)
    }

    /// No further element follows; buffered elements can still be read.
    func end() {
        let waiter = state.withLock { state in
            state.hasEnded = true
            return state.waiter.take()
        }
        waiter?.resume(returning: nil)
    }

    fileprivate func leave() {
        end()
        left()
    }

    fileprivate func next(isolation actor: isolated (any Actor)?) async -> Element? {
        switch state.withLock({ $0.take() }) {
        case .element(let element): element
        case .end: nil
        case .wait:
            await withTaskCancellationHandler {
                await withCheckedContinuation(isolation: actor) { wait($0) }
            } onCancel: {
                end()
            }
        }
    }

    private func wait(_ continuation: CheckedContinuation<Element?, Never>) {
        let turn = state.withLock { state -> Turn in
            precondition(state.waiter == nil, "a BufferedStream has one reader at a time")
            let turn = state.take()
            if case .wait = turn { state.waiter = continuation }
            return turn
        }
        switch turn {
        case .element(let element): continuation.resume(returning: element)
        case .end: continuation.resume(returning: nil)
        case .wait: break
        }
    }
}

/// The open streams of one sender.
struct StreamBuffers<Element: Sendable> {
    private var nextID: UInt64 = 0
    private var buffers: [UInt64: StreamBuffer<Element>] = [:]

    /// Adds a buffer; `left` receives its number when nobody can read it any longer.
    mutating func add(
        limit: Int, left: @escaping @Sendable (UInt64) -> Void
    ) -> StreamBuffer<Element> {
        nextID += 1
        let buffer = StreamBuffer<Element>(limit: limit) { [id = nextID] in left(id) }
        buffers[nextID] = buffer
        return buffer
    }

    mutating func remove(_ id: UInt64) { buffers[id] = nil }

    func send(_ element: Element) {
        for buffer in buffers.values { buffer.send(element) }
    }

    func end() {
        for buffer in buffers.values { buffer.end() }
    }
}
