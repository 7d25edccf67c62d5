// WebSecret: a random word that admits a browser or a program.

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
