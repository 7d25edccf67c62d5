// DeliveryClass: how a message is delivered if the other side is slow, absent or restarted.
//
// Spec       Protocol/SPEC.md, section 7 (Delivery classes)

/// How a crossing's messages travel.
public enum DeliveryClass: String, Codable, Sendable, CaseIterable {
    /// The newest value of each method wins and is replayed to a front that attaches.
    case state
    /// Messages arrive in order, at most once, and are never replayed.
    case effect
    /// Items arrive in order, numbered; a window of the newest is kept, which late and slow fronts
    /// read by number.
    case log
    /// A call from a front to an interactor: in order per node, acknowledged.
    case event
    /// A call from an interactor to a front, with a result.
    case ask
}
