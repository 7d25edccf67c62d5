// ProtocolVersion: which protocol two sides speak.
//
// Layer      sans-I/O core.
// Isolation  value.
// Spec       Protocol/SPEC.md, section 4 (Connection set-up)

/// A version of the protocol. Minors of one major understand each other; majors do not.
public struct ProtocolVersion: Hashable, Comparable, Sendable, Codable, CustomStringConvertible {
    public var major: UInt16
    public var minor: UInt16

    public init(_ major: UInt16, _ minor: UInt16) {
        self.major = major
        self.minor = minor
    }

    /// What this implementation prefers.
    public static let current = ProtocolVersion(1, 5)
    /// The oldest that it still speaks.
    public static let oldest = ProtocolVersion(1, 0)

    /// The first in which a tree is watched, and crossings are measured and traced.
    public static let inspects = ProtocolVersion(1, 5)
    /// The first in which sessions are renamed, and fronts detached by somebody else.
    public static let namesSessions = ProtocolVersion(1, 4)
    /// The first in which a state may be sent as a delta, and a front is told what it has missed.
    public static let sendsDeltas = ProtocolVersion(1, 4)
    /// The first in which a front may have a URL opened.
    public static let opensURLs = ProtocolVersion(1, 3)
    /// The first in which a front's events are numbered over its connections, and sent again.
    public static let resumesEvents = ProtocolVersion(1, 2)
    /// The first in which a worker may ask a front for its contract.
    public static let comparesContracts = ProtocolVersion(1, 1)

    public static func < (left: Self, right: Self) -> Bool {
        (left.major, left.minor) < (right.major, right.minor)
    }

    public var description: String { "\(major).\(minor)" }
}
