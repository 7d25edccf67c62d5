// WebRequest: the head of a request, as the door reads it.
//
// Layer      web, server. It knows no HTTP library.
// Isolation  value.

/// A request without its body.
package struct WebRequest: Sendable {
    package var method: String
    package var target: String
    package var isVersion11: Bool
    package var headers: [(name: String, value: String)]

    package init(
        method: String, target: String, isVersion11: Bool = true,
        headers: [(name: String, value: String)]
    ) {
        self.method = method
        self.target = target
        self.isVersion11 = isVersion11
        self.headers = headers
    }

    /// Returns the values of all headers of a name, which is in lower case.
    func values(of name: String) -> [String] {
        headers.filter { $0.name.lowercased() == name }.map(\.value)
    }
}
