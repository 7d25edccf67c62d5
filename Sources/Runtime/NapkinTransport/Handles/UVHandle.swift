// UVHandle: holds a libuv handle's memory until its close callback; uvCheck reports libuv's errors.
//
// Layer      the C boundary. Every other file that imports CLibuv goes through this one.
// Isolation  @MainActor, which is the loop thread (or the main queue, when embedded).
// Ownership  the memory belongs to libuv until the close callback, the only place that frees it;
//            from attach(to:) to that callback the handle also holds one reference to its owner.
// Invariant  every handle opened is closed exactly once; `Loop.liveHandles` counts the open ones.
// Spec       docs.libuv.org/en/v1.x/handle.html: "memory must not be freed before close_cb".

internal import CLibuv

/// The owner of a handle; it is notified once, when the handle has closed.
@MainActor
protocol HandleOwner: AnyObject {
    func handleDidClose()
}

extension HandleOwner {
    func handleDidClose() {}
}

/// One libuv handle of the C type `Raw`, whose first fields are those of `uv_handle_t`.
@MainActor
struct UVHandle<Raw> {
    let raw: UnsafeMutablePointer<Raw>

    /// Allocates the memory and initialises the handle with one of libuv's `uv_…_init` functions.
    ///
    /// Errors: the result of `initialise`. The memory is then freed here: libuv does not know it.
    init(
        _ operation: String, on subject: @autoclosure () -> String,
        _ initialise: (UnsafeMutablePointer<uv_loop_t>, UnsafeMutablePointer<Raw>) -> Int32
    ) throws(TransportError) {
        raw = .allocate(capacity: 1)
        let result = initialise(Loop.shared.raw, raw)
        guard result >= 0 else {
            raw.deallocate()
            throw uvError(result, operation, on: subject())
        }
        base.pointee.data = nil
        Loop.shared.handleDidOpen()
    }

    var base: UnsafeMutablePointer<uv_handle_t> {
        UnsafeMutableRawPointer(raw).assumingMemoryBound(to: uv_handle_t.self)
    }

    var stream: UnsafeMutablePointer<uv_stream_t> {
        UnsafeMutableRawPointer(raw).assumingMemoryBound(to: uv_stream_t.self)
    }

    /// Makes `owner` reachable from callbacks and keeps it alive until the handle has closed.
    func attach(to owner: some HandleOwner) {
        // SAFETY: this retain is released in `handleDidClose` below, by the close callback.
        base.pointee.data = Unmanaged<AnyObject>.passRetained(owner).toOpaque()
    }

    /// Starts closing. Call once. The memory and the owner live until the close callback.
    func close() {
        uv_close(base, closeHandle)
        Loop.shared.handlesChanged()
    }
}

/// The close callback of every handle.
private let closeHandle: uv_close_cb = { handle in
    guard let handle else { return }
    // SAFETY: the value goes from this callback into its own body, on the same thread.
    nonisolated(unsafe) let data = handle.pointee.data
    // The handle's memory, allocated by UVHandle.init, is freed here and nowhere else.
    UnsafeMutableRawPointer(handle).deallocate()
    onLoop {
        Loop.shared.handleDidClose()
        guard let data else { return }
        // SAFETY: releases the retain of `attach(to:)`; libuv calls this once for each handle.
        let owner = Unmanaged<AnyObject>.fromOpaque(data).takeRetainedValue()
        (owner as? any HandleOwner)?.handleDidClose()
    }
}

/// Runs the body of a libuv callback as code of the main actor, where libuv calls back.
@inline(__always)
func onLoop(_ body: @MainActor () -> Void) {
    // SAFETY: libuv calls back only from uv_run, and uv_run is called only on the loop thread
    // (Loop.main) or on the main queue (embedded); both are the main actor. Checked at run time.
    MainActor.assumeIsolated(body)
}

/// Runs the body of a libuv callback on the object that ``UVHandle/attach(to:)`` put in `data`.
@inline(__always)
func onLoop<Owner: AnyObject>(
    _ data: UnsafeMutableRawPointer?, as _: Owner.Type, _ body: @MainActor (Owner) -> Void
) {
    // SAFETY: the value goes from the callback into its own body, on the same thread.
    nonisolated(unsafe) let data = data
    onLoop {
        guard let data else { return }
        // SAFETY: `data` was set by attach(to:) with an Owner, which is retained until closed.
        body(Unmanaged<Owner>.fromOpaque(data).takeUnretainedValue())
    }
}

/// Like ``onLoop(_:as:_:)``, for the callbacks of every read and every turn: it allocates nothing,
/// and checks the isolation in debug builds only. (Measured: 0.3 µs a callback, of 5 for a read and
/// its answer.)
///
/// - Parameter body: captures nothing, so that it is a plain function pointer.
@inline(__always)
func onLoopUnchecked<Owner: AnyObject>(
    _ data: UnsafeMutableRawPointer?, as _: Owner.Type, _ argument: Int,
    _ body: @escaping @MainActor (Owner, Int) -> Void
) {
    guard let data else { return }
    #if DEBUG  // assertIsolated() checks in release builds, too (Swift 6.3.1, measured)
        MainActor.assertIsolated()
    #endif
    // SAFETY: as in onLoop(_:), libuv calls back on the main actor only; dropping the isolation
    // from a function's type does not change its representation. `data` as in onLoop(_:as:_:).
    let call = unsafeBitCast(body, to: ((Owner, Int) -> Void).self)
    Unmanaged<Owner>.fromOpaque(data)._withUnsafeGuaranteedRef { call($0, argument) }
}

/// Throws a negative result of libuv as an error that keeps the C name; returns any other result.
@discardableResult
func uvCheck(
    _ result: Int32, _ operation: String, on subject: @autoclosure () -> String
) throws(TransportError) -> Int32 {
    guard result >= 0 else { throw uvError(result, operation, on: subject()) }
    return result
}

/// Returns the error for a negative result of libuv, or for a negated `errno`.
func uvError(_ result: Int32, _ operation: String, on subject: String) -> TransportError {
    let code = String(cString: uv_err_name(result))
    let limit =
        switch code {
        case "EMFILE": ": this process has as many as `ulimit -n` allows"
        case "EAGAIN" where operation == "spawn":
            ": this user has as many processes and threads as `ulimit -u` or a TasksMax allows"
        default: ""
        }
    return TransportError(
        code: code, operation: operation, subject: subject,
        message: String(cString: uv_strerror(result)) + limit)
}
