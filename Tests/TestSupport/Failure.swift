// Failure: what a test could not do, or what was promised and did not hold.

/// Ends a test or a proof, and says why.
package struct Failure: Error, CustomStringConvertible {
    package let description: String

    package init(_ description: String) { self.description = description }

    /// Throws unless `holds`.
    package static func unless(_ holds: Bool, _ what: @autoclosure () -> String) throws {
        if !holds { throw Failure(what()) }
    }
}
