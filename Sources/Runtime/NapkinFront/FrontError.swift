// FrontError: explains why a front cannot attach, and says what to do.

package import NapkinProtocol
import NapkinRuntime
import NapkinTransport

/// An error between a front and the daemon.
public struct FrontError: Error, Sendable, CustomStringConvertible {
    /// The kind of failure.
    public enum Code: String, Sendable {
        /// Nothing listens at the socket's path.
        case noDaemon
        /// The path or its directory cannot be used.
        case badSocket
        /// The socket or the daemon belongs to another user.
        case notPermitted
        /// A daemon listens but does not answer.
        case silent
        /// The listening process does not speak the protocol.
        case notNapkind
        /// The daemon could not be started.
        case spawnFailed
        /// The daemon or the worker refused; see `refusal`.
        case refused
        /// The connection was lost.
        case disconnected
    }

    public var code: Code
    /// A sentence that says what happened, to what, and what to do.
    public var message: String
    package var refusal: Refusal.Code?
    /// Where the session is, if it is on another machine.
    package var machine: MachineAddress?

    package init(_ code: Code, _ message: String, refusal: Refusal.Code? = nil) {
        self.code = code
        self.message = message
        self.refusal = refusal
    }

    package init(_ refusal: Refusal) {
        self.init(.refused, refusal.message, refusal: refusal.code)
        machine = refusal.machine
    }

    /// The end of a connection, with the other side's reason if it gave one.
    init(_ end: ConnectionEnd) {
        if case .refused(let refusal) = end {
            self.init(refusal)
        } else {
            self.init(.disconnected, "\(end)")
        }
    }

    public var description: String { message }
}

extension FrontError {
    /// Whether another attempt would fail in the same way.
    package var isFinal: Bool {
        switch refusal {
        case .version, .notPermitted, .unknownApp, .unknownSession, .sessionOfAnotherApp,
            .contractMismatch, .sessionEnded, .detached, .badRequest:
            true
        default: false
        }
    }
}

extension FrontError {
    /// Whether napkind could not be reached, so that another one may be asked.
    var isUnreachable: Bool {
        refusal == nil && [.noDaemon, .silent, .spawnFailed, .disconnected].contains(code)
    }
}

extension TransportError {
    /// Whether a daemon could be started at that path.
    var meansNobodyListens: Bool { code == "ENOENT" || code == "ECONNREFUSED" }
}
