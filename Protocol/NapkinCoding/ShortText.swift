// ShortText: the beginning of a text that somebody else has chosen.
//
// Layer      sans-I/O core.
// Isolation  value

extension String {
    /// Returns the text itself, or its first characters and an ellipsis: at most `bytesMax` bytes
    /// of UTF-8, of which the ellipsis takes three.
    ///
    /// For what is echoed, sent to a person or logged: a peer chooses how long its texts are.
    package func shortened(to bytesMax: Int) -> String {
        guard utf8.count > bytesMax else { return self }
        var end = utf8.index(startIndex, offsetBy: max(0, bytesMax - 3))
        // Back to where a scalar begins: half of one would be repaired into three bytes.
        while end.samePosition(in: unicodeScalars) == nil { end = utf8.index(before: end) }
        return String(self[..<end]) + "…"
    }
}
