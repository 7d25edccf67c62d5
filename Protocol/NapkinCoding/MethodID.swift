// MethodID: the number that names one method of a crossing on the wire, and how its messages are
// delivered.
//
// Spec       Protocol/SPEC.md, sections 3 (Identifiers) and 7 (Delivery classes)

/// The number that stands for a crossing's method in a frame: the 32-bit FNV-1a hash of its key.
///
/// A key is the method's full Swift name, `present(sections:)`. The hash does not depend on the
/// order of declarations, so that methods may be added or moved without breaking an older peer.
/// `@Crossing` refuses, at compile time, two methods of one protocol with the same number.
public struct MethodID: RawRepresentable, Hashable, Sendable {
    public let rawValue: UInt32

    @inlinable
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// Hashes a key, for instance `"didTapBack()"`.
    public init(key: String) {
        var hash: UInt32 = 0x811C_9DC5
        for byte in key.utf8 { hash = (hash ^ UInt32(byte)) &* 0x0100_0193 }
        rawValue = hash
    }
}

extension MethodID {
    /// The event by which a front asks that a node be dismissed, from its own back gesture. It has
    /// no arguments.
    ///
    /// This is the number of the key `napkin:dismiss()`, which no Swift method can have.
    package static var dismiss: MethodID { MethodID(rawValue: 0xED62_4A5F) }

    /// The event by which a front asks a node to select one of its tabs. The argument is the name
    /// of the slot.
    ///
    /// This is the number of the key `napkin:select(tab:)`.
    package static var selectTab: MethodID { MethodID(rawValue: 0x778B_1ADA) }

    /// The event by which a front reads kept items of a node's log; see
    /// `EventPort.items(in:last:)`. It changes nothing: a read-only front may send it.
    ///
    /// This is the number of the key `napkin:read(log:before:count:)`.
    package static var readLog: MethodID { MethodID(rawValue: 0x862E_ACBF) }

    /// Whether this is an event that nodes handle instead of their interactors.
    package var isOfNodes: Bool { self == .readLog || self == .dismiss || self == .selectTab }

    /// The state that tells fronts of a node's tabs: a `TabBar`.
    ///
    /// This is the number of the key `napkin:present(tabs:)`.
    package static var tabs: MethodID { MethodID(rawValue: 0x9C8F_9118) }

    /// The state of the root that tells a front how many fronts are attached, as an integer, if the
    /// front's attach asked for it. It belongs to no view and is never in a mount.
    ///
    /// This is the number of the key `napkin:present(fronts:)`.
    package static var fronts: MethodID { MethodID(rawValue: 0x09B3_10B4) }
}

/// How a crossing's messages travel.
public enum DeliveryClass: String, Codable, Sendable, CaseIterable {
    /// The newest value of each method wins and is replayed to a front that attaches.
    case state
    /// Messages arrive in order, at most once, and are never replayed.
    case effect
    /// Items arrive in order, numbered. A window of the newest is kept, from which late and slow
    /// fronts read by number.
    case log
    /// A call from a front to an interactor: in order per node, acknowledged.
    case event
    /// A call from an interactor to a front, with a result.
    case ask
}
