// Violation: something that was promised and did not hold.
//
// Layer      test executable.
// Isolation  value.

/// Ends a proof, and says what did not hold.
struct Violation: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }

    /// Throws unless `holds`.
    static func unless(_ holds: Bool, _ what: @autoclosure () -> String) throws {
        if !holds { throw Violation(what()) }
    }
}
