// HandshakeMessages: the payloads of hello, welcome, refused and goodbye, and the protocol's
// versions.
//
// Spec       Protocol/SPEC.md, section 4 (Connection set-up)

import NapkinCoding

/// The role of the connecting side.
@Message
public enum PeerRole: String {
    case front
    case tool
    case worker
    case child
}

/// The first frame of the connecting side.
@Message
public struct Hello: Equatable, MandatoryFields {
    public var oldest: ProtocolVersion = .oldest
    public var newest: ProtocolVersion = .current
    public var role: PeerRole
    /// The program and its version, for listings and logs.
    public var client: String
    /// The ticket from napkind, for a connection to a worker.
    public var ticket: String?
}

/// The answer to a hello that was accepted.
@Message
public struct Welcome: Equatable {
    /// The version that both sides use from now on.
    public var version: ProtocolVersion
    /// The program and its version.
    public var server: String
    /// The server's process id.
    public var pid: Int32
}

/// The reason why a request or a connection ends: a sentence for a person and a code for a program.
public struct Refusal: Codable, Equatable, Sendable, Error, CustomStringConvertible {
    /// The reason, for a program.
    public enum Code: String, Codable, Sendable, CaseIterable {
        /// The sides have no protocol version in common.
        case version
        /// The first frame was not a hello, or a frame was unexpected.
        case protocolViolation
        /// The peer is another user's process.
        case notPermitted
        /// The ticket is unknown, used or expired.
        case badTicket
        case unknownApp
        case unknownSession
        case sessionOfAnotherApp
        /// The front's contract differs from the worker's.
        case contractMismatch
        /// The app's worker cannot be started, or dies repeatedly.
        case workerUnavailable
        /// A limit was reached.
        case overloaded
        /// The server is shutting down in good order.
        case shuttingDown
        case sessionEnded
        /// Another client has detached the front; the session continues.
        case detached
        /// The request is malformed, or asks for a name that is taken.
        case badRequest
        /// The session is on another machine of the cluster, which the refusal names.
        case elsewhere
    }

    public var code: Code
    /// A sentence that says what happened, to what, and what to do. At most
    /// `Limits.refusalBytesMax` bytes, whatever it echoes.
    public private(set) var message: String
    /// Where the session is, if the code is `elsewhere`.
    public private(set) var machine: MachineAddress?

    public init(_ code: Code, _ message: String, machine: MachineAddress? = nil) {
        self.code = code
        self.message = message.shortened(to: Limits.refusalBytesMax)
        self.machine = machine
    }

    public var description: String { message }
}

extension Refusal {
    private enum CodingKeys: String, CodingKey {
        case code, message, machine
    }

    /// An unknown code, from a later version, counts as `workerUnavailable`: a client that shows
    /// the message or tries again does no harm.
    public init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        let code = try fields.decode(String.self, forKey: .code)
        let message = try fields.decode(String.self, forKey: .message)
        let machine = try fields.decodeIfPresent(MachineAddress.self, forKey: .machine)
        self.init(Code(rawValue: code) ?? .workerUnavailable, message, machine: machine)
    }
}

/// A version of the protocol. Minor versions of one major version are compatible; major versions
/// are not.
@Message
public struct ProtocolVersion: Hashable, Comparable, CustomStringConvertible {
    public var major: UInt16
    public var minor: UInt16

    public init(_ major: UInt16, _ minor: UInt16) {
        self.major = major
        self.minor = minor
    }

    /// The newest version of this implementation.
    public static let current = ProtocolVersion(1, 0)
    /// The oldest version that it still supports.
    public static let oldest = ProtocolVersion(1, 0)

    public static func < (left: Self, right: Self) -> Bool {
        (left.major, left.minor) < (right.major, right.minor)
    }

    public var description: String { "\(major).\(minor)" }
}

/// The version of this package's programs, which peers tell each other.
public enum NapkinVersion {
    public static let text = "0.1.0"
}
