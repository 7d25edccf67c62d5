// Channel: a connected Unix stream socket: reports its input, and writes output at once or, if the
// kernel cannot take it yet, from a queue.
//
// Ownership  the handle retains the channel from adoption to its close callback, even if nothing
//            else does. Requests belong to the channel and are freed in handleDidClose, after all
//            their callbacks. The delegate is held from its assignment until channelDidClose:
//            strongly, as a weak reference would slow down every retain of it (side table,
//            measured).
// Invariant  at most one uv_write and one uv_shutdown are in progress; after close() nothing is
//            read or written; channelDidClose is called exactly once.
// Spec       docs.libuv.org/en/v1.x/stream.html; write(2), EPIPE and EAGAIN.

internal import CLibuv
internal import Glibc

@MainActor
package final class Channel: HandleOwner {
    private enum State { case open, closing, closed }

    // SAFETY: @exclusivity(unchecked), here and below: all access is on the main actor, and no
    // access spans a call of the delegate. The queue calls nobody, and libuv calls back in a later
    // turn.
    /// Receives the channel's events. Kept alive until its `channelDidClose` has returned, or until
    /// it has been replaced and its current call has returned.
    @exclusivity(unchecked) package var delegate: (any ChannelDelegate)?

    private let handle: UVHandle<uv_pipe_t>
    /// The handle's socket, valid while the handle is open.
    private let descriptor: Int32
    @exclusivity(unchecked) private var state = State.open
    @exclusivity(unchecked) private var isReading = false
    @exclusivity(unchecked) private var output = OutputQueue()
    @exclusivity(unchecked) private var outputEnds = false
    @exclusivity(unchecked) private var failure: TransportError?
    private var writeRequest: UnsafeMutablePointer<uv_write_t>?
    /// Cached: each access to a `static let` calls the runtime.
    private let loop = Loop.shared
    private var shutdownRequest: UnsafeMutablePointer<uv_shutdown_t>?

    /// Takes over a handle whose descriptor is connected.
    private init(_ handle: UVHandle<uv_pipe_t>) {
        self.handle = handle
        var descriptor: uv_os_fd_t = -1
        let result = uv_fileno(handle.base, &descriptor)
        precondition(result == 0, "a channel is made of a pipe that is open")
        self.descriptor = descriptor
        handle.attach(to: self)
    }

    // MARK: - Creation

    /// Takes over a connected descriptor and makes it non-blocking and close-on-exec.
    ///
    /// Errors: `EBADF`, `EINVAL` (not a connected Unix stream socket); the caller then keeps it.
    package static func adopt(descriptor: Int32) throws(TransportError) -> Channel {
        try LocalSocket.checkAdoptable(descriptor, listening: false)
        return try own(descriptor)
    }

    /// Takes over a connected descriptor that is a socket or a pipe, and close-on-exec.
    static func own(_ descriptor: Int32) throws(TransportError) -> Channel {
        try make { uv_pipe_open($0, descriptor) }
    }

    /// Creates two connected sockets: a channel for us, and a descriptor to pass to a child.
    ///
    /// The descriptor is close-on-exec and blocking; ``ChildProcess`` can pass it on all the same.
    /// It belongs to the caller, who must close it once the child has it: otherwise the channel
    /// never sees the end of the child's output.
    package static func pair() throws(TransportError) -> (Channel, Int32) {
        let (ours, theirs) = try LocalSocket.pair()
        do {
            return (try own(ours), theirs)
        } catch {
            LocalSocket.close(ours)
            LocalSocket.close(theirs)
            throw error
        }
    }

    /// Creates two connected sockets and lets `body` pass the descriptor to a child. Afterwards the
    /// descriptor is closed here, and so is the channel if the child could not be started.
    package static func paired<T>(
        _ body: (_ channel: Channel, _ far: Int32) throws(TransportError) -> T
    ) throws(TransportError) -> T {
        let (channel, far) = try pair()
        defer { LocalSocket.close(far) }
        do throws(TransportError) {
            return try body(channel, far)
        } catch {
            channel.close()
            throw error
        }
    }

    /// Takes over an end of a pipe or a connected socket of any family, such as standard input and
    /// output. A pipe carries bytes in one direction only.
    ///
    /// Errors: `EBADF`, `EINVAL` (neither of them); the caller then keeps it.
    package static func adopt(stream descriptor: Int32) throws(TransportError) -> Channel {
        try LocalSocket.checkStream(descriptor)
        return try own(descriptor)
    }

    /// Creates another channel on the same connection, which stays open until both are closed. Only
    /// one of them may read or write.
    package func duplicate() throws(TransportError) -> Channel {
        let copy = LocalSocket.duplicate(descriptor)
        guard copy >= 0 else { throw LocalSocket.systemError("duplicate", on: "socket") }
        do throws(TransportError) {
            return try Self.own(copy)
        } catch {
            LocalSocket.close(copy)
            throw error
        }
    }

    /// Accepts the next connection of a listening stream; called when libuv reports one.
    static func accept(from listener: UVHandle<uv_pipe_t>) throws(TransportError) -> Channel {
        try make {
            let stream = UnsafeMutableRawPointer($0).assumingMemoryBound(to: uv_stream_t.self)
            return uv_accept(listener.stream, stream)
        }
    }

    private static func make(
        _ open: (UnsafeMutablePointer<uv_pipe_t>) -> Int32
    ) throws(TransportError) -> Channel {
        let handle = try UVHandle<uv_pipe_t>("open", on: "pipe") { uv_pipe_init($0, $1, 0) }
        let result = open(handle.raw)
        guard result >= 0 else {
            handle.close()
            throw uvError(result, "open", on: "socket")
        }
        return Channel(handle)
    }

    // MARK: - State

    /// The bytes given to ``write(_:)`` that the kernel has not taken yet. 0 once closing.
    package var pendingBytes: Int {
        guard output.isFlying, state == .open else { return 0 }
        return Int(uv_stream_get_write_queue_size(handle.stream)) + output.waitingCount
    }

    /// The process at the other end; nil once closing.
    package var peer: PeerCredentials? { state == .open ? credentials : nil }

    /// Read once: the kernel keeps the credentials from the time of the connection.
    private lazy var credentials = LocalSocket.peer(of: descriptor)

    // MARK: - Reading

    /// Begins or resumes reading. A second call changes nothing.
    package func startReading() {
        guard state == .open, !isReading else { return }
        isReading = true
        let result = uv_read_start(handle.stream, lendReadBuffer, takeReadBuffer)
        if result < 0 { fail(uvError(result, "read", on: "channel")) }
        loop.handlesChanged()
    }

    /// Stops reading: further input stays in the kernel, and with the peer once the kernel is full.
    package func stopReading() {
        guard state == .open, isReading else { return }
        isReading = false
        uv_read_stop(handle.stream)
        loop.handlesChanged()
    }

    fileprivate func didRead(_ count: Int) {
        if count > 0 {
            let bytes = UnsafeRawBufferPointer(rebasing: loop.readBuffer[..<count])
            delegate?.channel(self, didRead: bytes)
        } else if count == Int(UV_EOF.rawValue) {
            isReading = false
            if let failure { fail(failure) } else { delegate?.channelDidReachEnd(self) }
        } else if count < 0 {
            fail(failure ?? uvError(Int32(count), "read", on: "channel"))
        }
        // 0 is EAGAIN: there was nothing to read after all.
    }

    // MARK: - Writing

    /// Writes as many bytes as the kernel takes at once; copies and queues the rest.
    ///
    /// Order is kept. After ``shutdownOutput()``, ``close()`` or a failure the bytes are dropped.
    package func write(_ bytes: UnsafeRawBufferPointer) {
        guard state == .open, !outputEnds, bytes.count > 0 else { return }
        // The bytes that libuv is writing come first.
        guard !output.isFlying else { return output.append(bytes) }
        let written = Self.write(descriptor, bytes)
        if written != bytes.count { writeRest(of: bytes, written) }
    }

    /// Writes as many bytes as a non-blocking socket takes at once. Returns their number or a
    /// negated `errno`; EAGAIN means that it takes nothing now.
    ///
    /// Replaces uv_try_write, without the eighty instructions and six cache lines around it.
    @inline(__always)
    private static func write(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
        while true {
            let count = Glibc.write(descriptor, bytes.baseAddress, bytes.count)
            if count >= 0 { return count }
            switch errno {
            case EINTR: continue
            case ENOBUFS: return -Int(EAGAIN)
            case let number: return -Int(number)
            }
        }
    }

    @inline(never)
    private func writeRest(of bytes: UnsafeRawBufferPointer, _ written: Int) {
        guard written >= 0 || written == Int(UV_EAGAIN.rawValue) else {
            return writeFailed(Int32(truncatingIfNeeded: written))
        }
        output.append(UnsafeRawBufferPointer(rebasing: bytes[max(0, written)...]))
        writeQueue()
    }

    private func writeQueue() {
        guard let bytes = output.takeOff() else { return }
        var buffer = uv_buf_t(
            base: UnsafeMutableRawPointer(mutating: bytes.baseAddress)?
                .assumingMemoryBound(to: CChar.self), len: bytes.count)
        let request = writeRequest ?? .allocate(capacity: 1)
        writeRequest = request
        // `output` keeps the bytes in place until the callback, which follows every successful
        // uv_write.
        let result = uv_write(request, handle.stream, &buffer, 1) { request, status in
            onLoop(request?.pointee.handle.pointee.data, as: Channel.self) { $0.didWrite(status) }
        }
        if result < 0 {
            output.land()
            writeFailed(result)
        }
        loop.handlesChanged()
    }

    private func didWrite(_ status: Int32) {
        output.land()
        guard state == .open else { return }
        guard status >= 0 else { return writeFailed(status) }
        if output.waitingCount > 0 { return writeQueue() }
        if outputEnds { shutDown() }
        delegate?.channelDidDrain(self)
    }

    /// Input that the peer sent before it went is still worth reading, so the failure is reported
    /// at the end of the input, which the peer's close brings. A channel that is not reading fails
    /// at once.
    private func writeFailed(_ status: Int32) {
        let error = uvError(status, "write", on: "channel")
        output.dropWaiting()
        outputEnds = true
        if isReading { failure = failure ?? error } else { fail(error) }
    }

    // MARK: - Ending

    /// Closes our output once all pending bytes have been written; reading continues.
    package func shutdownOutput() {
        guard state == .open, !outputEnds else { return }
        outputEnds = true
        if !output.isFlying { shutDown() }
    }

    private func shutDown() {
        guard shutdownRequest == nil, failure == nil else { return }
        let request = UnsafeMutablePointer<uv_shutdown_t>.allocate(capacity: 1)
        shutdownRequest = request
        // A peer that has gone (ENOTCONN) does not need the notice: errors are not reported.
        uv_shutdown(request, handle.stream) { _, _ in }
        loop.handlesChanged()
    }

    /// Closes the socket and drops pending writes. A second call changes nothing.
    package func close() {
        guard state == .open else { return }
        state = .closing
        isReading = false
        handle.close()
    }

    private func fail(_ error: TransportError) {
        failure = error
        close()
    }

    func handleDidClose() {
        state = .closed
        writeRequest?.deallocate()
        shutdownRequest?.deallocate()
        output.dropWaiting()
        if let failure { delegate?.channel(self, didFailWith: failure) }
        delegate?.channelDidClose(self)
        delegate = nil
    }
}

/// Lends the loop's read buffer to libuv for one read.
private let lendReadBuffer: uv_alloc_cb = { handle, _, buffer in
    // `data` of the loop is the buffer's address, set once in Loop.init.
    buffer?.pointee.base = handle?.pointee.loop.pointee.data.assumingMemoryBound(to: CChar.self)
    buffer?.pointee.len = Loop.readBufferBytes
}

private let takeReadBuffer: uv_read_cb = { stream, count, _ in
    onLoopUnchecked(stream?.pointee.data, as: Channel.self, count) { $0.didRead($1) }
}

struct OutputQueue: ~Copyable {
    /// A larger block is freed when the queue runs empty. Chosen: one read buffer.
    private static let keptBytesMax = 65_536

    private struct Block: ~Copyable {
        var base: UnsafeMutableRawPointer?
        var count = 0
        var capacity = 0

        mutating func append(_ bytes: UnsafeRawBufferPointer) {
            guard let source = bytes.baseAddress else { return }
            if count + bytes.count > capacity { grow(to: count + bytes.count) }
            base?.advanced(by: count).copyMemory(from: source, byteCount: bytes.count)
            count += bytes.count
        }

        private mutating func grow(to needed: Int) {
            let larger = max(needed, capacity * 2, 4096)
            let moved = UnsafeMutableRawPointer.allocate(byteCount: larger, alignment: 16)
            if let base {
                moved.copyMemory(from: base, byteCount: count)
                base.deallocate()
            }
            base = moved
            capacity = larger
        }

        mutating func release() {
            base?.deallocate()
            (base, count, capacity) = (nil, 0, 0)
        }

        deinit { base?.deallocate() }
    }

    private var flight = Block()
    private var waiting = Block()
    private(set) var isFlying = false

    var waitingCount: Int { waiting.count }

    mutating func append(_ bytes: UnsafeRawBufferPointer) { waiting.append(bytes) }

    /// Hands out all waiting bytes, which stay in place until ``land()``. Nil if nothing waits.
    mutating func takeOff() -> UnsafeRawBufferPointer? {
        guard !isFlying, waiting.count > 0 else { return nil }
        swap(&flight, &waiting)
        isFlying = true
        return UnsafeRawBufferPointer(start: flight.base, count: flight.count)
    }

    /// Ends the use of the bytes handed out, which have been written or given up.
    mutating func land() {
        isFlying = false
        flight.count = 0
        if flight.capacity > Self.keptBytesMax { flight.release() }
    }

    mutating func dropWaiting() {
        waiting.count = 0
        if waiting.capacity > Self.keptBytesMax { waiting.release() }
    }
}
