// TransportError: a failed system call: the operation, its subject, and advice.
//
// Layer      transport. Knows the C names of errors, not libuv.

/// A failed system call or check of this layer.
///
/// Shape: `code` is for programs, ``description`` for people. Two errors are equal if all fields
/// are.
public struct TransportError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The C name of the error, for example `ECONNREFUSED`. Source: errno(3), libuv's uv_err_name.
    public let code: String
    /// The attempted operation, as a verb: `connect`, `listen`, `read`.
    public let operation: String
    /// The subject of the operation: a path, a descriptor (`descriptor 5`), a program.
    public let subject: String
    /// A description of the failure and, if something can be done, advice.
    public let message: String

    /// Creates an error.
    ///
    /// - Parameters:
    ///   - code: the C name, for example `ENOENT`.
    ///   - operation: the attempted operation, as a verb.
    ///   - subject: the subject of the operation.
    ///   - message: a description of the failure, and advice.
    public init(code: String, operation: String, subject: String, message: String) {
        self.code = code
        self.operation = operation
        self.subject = subject
        self.message = message
    }

    /// `connect /run/x.sock: connection refused (ECONNREFUSED)`.
    public var description: String { "\(operation) \(subject): \(message) (\(code))" }
}

extension TransportError {
    /// Returns the error of the system call that has just failed, by its `errno`.
    package static func system(_ operation: String, _ subject: String) -> TransportError {
        LocalSocket.systemError(operation, on: subject)
    }
}

/// An error that describes a failed system call to a person.
package protocol SystemFailure: Error {
    init(_ error: TransportError)
}

extension SystemFailure {
    /// Runs a step, and throws its errors as errors of this type.
    package static func ofSystem<T>(_ step: () throws(TransportError) -> T) throws(Self) -> T {
        do throws(TransportError) { return try step() } catch { throw Self(error) }
    }
}
