// UnretainedReference: uses a reference without retaining it, on the path of every event.
//
// Isolation  none of its own: the caller's.
// Ownership  another owner keeps the object alive during the call; each caller names it.

/// Calls `body` with an object that another owner keeps alive meanwhile, and does not retain it.
///
/// Otherwise Swift retains a property that could change for each use, with atomic counts: a retain
/// and a release take about 10 ns (measured).
@inline(__always)
func withUnretained<T: AnyObject, R, E: Error>(
    _ object: @autoclosure () -> T?, _ body: (T) throws(E) -> R
) throws(E) -> R {
    // SAFETY: each caller names the owner, and has checked that the object exists.
    let kept = Unmanaged.passUnretained(object().unsafelyUnwrapped)
    let result: Result<R, E> = kept._withUnsafeGuaranteedRef { object in
        do throws(E) { return .success(try body(object)) } catch { return .failure(error) }
    }
    return try result.get()
}
