// WebMetrics: the metrics that a server of pages offers to programs that collect metrics.
//
// Invariant  nothing is revealed without the metrics' token, and that token opens no page.
// Spec       RFC 6750, section 2.1 (Authorization Request Header Field)

/// The text at `/metrics`, and the token of those who may read it.
package struct WebMetrics: Sendable {
    static let path = "/metrics"

    private let token: WebSecret
    /// Returns the text, in OpenMetrics or in the older format.
    let text: @MainActor @Sendable (_ isOpen: Bool) async -> String

    package init(
        token: String, text: @escaping @MainActor @Sendable (_ isOpen: Bool) async -> String
    ) {
        self.token = WebSecret(token)
        self.text = text
    }

    func answer(_ request: WebRequest) -> WebAccessControl.Answer {
        let start = "bearer "
        let words = request.values(of: "authorization")
        guard words.count == 1, words[0].lowercased().hasPrefix(start),
            token.isEqual(to: String(words[0].dropFirst(start.count)))
        else {
            return .refused(
                .unauthorized,
                "Send the token of the file that --metrics names: Authorization: Bearer TOKEN.")
        }
        let isOpen = request.values(of: "accept").contains {
            $0.contains("application/openmetrics-text")
        }
        return .metrics(isOpen: isOpen)
    }
}

/// A secret, which is compared only as a whole.
struct WebSecret: Sendable {
    private let bytes: [UInt8]

    init(_ word: String) { bytes = Array(word.utf8) }

    /// Compares in a time that does not depend on the position of a difference.
    func isEqual(to word: String) -> Bool {
        let other = Array(word.utf8)
        return other.count == bytes.count
            && zip(bytes, other).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }
}
