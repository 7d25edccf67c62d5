// Lent: a reference to an object of the main actor that somebody else keeps alive.
//
// Layer      transport, loop. No libuv.
// Isolation  @MainActor: used by its code only, which debug builds check.
// Ownership  none: who lends an object says, where it does, why the object outlives the use.
//
// To keep an object that a property might let go of takes two atomic operations, 40 instructions
// (Swift 6.3.1, measured), and on the way of an event that would be a dozen times.

/// A reference whose use counts nothing.
public struct Lent<Object: AnyObject> {
    // SAFETY: no count is taken; whoever lends the object says why it outlives the use.
    @usableFromInline let object: Unmanaged<Object>

    // SAFETY: no count is taken; as above.
    @inlinable @inline(__always)
    public init(_ object: Object) { self.object = Unmanaged.passUnretained(object) }

    /// Calls `body` with the object. Call it from code of the main actor.
    ///
    /// - Parameter body: captures nothing, so that it is a plain function pointer.
    @inlinable @inline(__always)
    public func use<First, Second>(
        _ first: First, _ second: Second,
        _ body: @escaping @MainActor (Object, First, Second) -> Void
    ) {
        #if DEBUG  // assertIsolated() checks in release builds, too (Swift 6.3.1, measured)
            MainActor.assertIsolated()
        #endif
        // SAFETY: the caller is isolated to the main actor; dropping the isolation from a
        // function's type does not change its representation. The object as in Ownership above.
        let call = unsafeBitCast(body, to: ((Object, First, Second) -> Void).self)
        object._withUnsafeGuaranteedRef { call($0, first, second) }
    }
}
