// TransportError: a failed system call: what was refused, to what, and what to do about it.
//
// Layer      transport. Knows the C names of errors, not libuv.

/// A failed system call or check of this layer.
///
/// Shape: `code` is for programs, ``description`` for people. Two errors are equal if all fields
/// are.
public struct TransportError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The C name of the error, for example `ECONNREFUSED`. Source: errno(3), libuv's uv_err_name.
    public let code: String
    /// What was attempted, as a verb: `connect`, `listen`, `read`.
    public let operation: String
    /// What it was attempted on: a path, a descriptor (`descriptor 5`), a program.
    public let subject: String
    /// What happened and, if something can be done, what to do.
    public let message: String

    /// Creates an error.
    ///
    /// - Parameters:
    ///   - code: the C name, for example `ENOENT`.
    ///   - operation: what was attempted, as a verb.
    ///   - subject: what it was attempted on.
    ///   - message: what happened, and what to do.
    public init(code: String, operation: String, subject: String, message: String) {
        self.code = code
        self.operation = operation
        self.subject = subject
        self.message = message
    }

    /// `connect /run/x.sock: connection refused (ECONNREFUSED)`.
    public var description: String {
        "\(operation) \(subject): \(message) (\(code))"
    }
}
