// ChildEnd: how a child's process ended although nobody asked it to end.

/// How a child's process ended.
public enum ChildEnd: Hashable, Sendable {
    /// It called exit, or returned from main, with this code.
    case exited(Int32)
    /// This signal ended it: 11 for a bad memory access, 5 or 4 for a Swift trap.
    case signalled(Int32)
    /// Its loop did not answer, and it was killed.
    case hung
    /// It was not started, or not served any longer, for this reason.
    case refused(String)
}
