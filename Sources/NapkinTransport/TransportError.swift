// TransportError: what the operating system refused, to what, and what to do about it.
//
// Layer      transport. Knows the C names of errors, not libuv.
// Isolation  value.

/// A system call or a check of this layer that failed.
///
/// Shape: `code` is for programs, ``description`` for people. Two errors are equal if every field
/// is.
public struct TransportError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The C name of the error, for example `ECONNREFUSED`. Source: errno(3), libuv's uv_err_name.
    public let code: String
    /// What was attempted, as a verb: `connect`, `listen`, `read`.
    public let operation: String
    /// What it was attempted on: a path, a descriptor (`descriptor 5`), a program.
    public let subject: String
    /// What happened and, where there is something to do, what to do.
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
