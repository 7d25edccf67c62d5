// ShortText: shortens a text that somebody else has chosen.

extension String {
    /// Returns the text itself, or its first characters and an ellipsis: at most `bytesMax` bytes
    /// of UTF-8, three of them for the ellipsis.
    ///
    /// Use it for text that is echoed, shown to a person or logged: a peer chooses its length.
    package func shortened(to bytesMax: Int) -> String {
        guard utf8.count > bytesMax else { return self }
        var end = utf8.index(startIndex, offsetBy: max(0, bytesMax - 3))
        // Back to the beginning of a scalar: half of one would be repaired into three bytes.
        while end.samePosition(in: unicodeScalars) == nil { end = utf8.index(before: end) }
        return String(self[..<end]) + "…"
    }
}
