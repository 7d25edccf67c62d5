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
    public static let current = ProtocolVersion(1, 0)
    /// The oldest that it still speaks.
    public static let oldest = ProtocolVersion(1, 0)

    public static func < (left: Self, right: Self) -> Bool {
        (left.major, left.minor) < (right.major, right.minor)
    }

    public var description: String { "\(major).\(minor)" }
}
