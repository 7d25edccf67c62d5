// TypedWord: a word of the command line, as JSON and as a shell takes it.

import NapkinCoding

enum TypedWord {
    /// Whether a word begins an array, an object or a text: then the mistake is elsewhere in it.
    static func isBegun(_ word: String) -> Bool {
        word.first { !$0.isWhitespace }.map { "[{\"".contains($0) } ?? false
    }

    /// Returns the word, in quotes if it is not JSON and can only be a text.
    static func json(_ word: String) -> String {
        guard !isBegun(word) else { return word }
        do throws(JSONError) {
            _ = try JSONToCBOR.transcode(Array(word.utf8))
            return word
        } catch {
            var text: [UInt8] = []
            CBORToJSON.append(string: word, to: &text)
            return String(decoding: text, as: UTF8.self)
        }
    }

    /// Puts a space before each negative number: the parser would take it for an option, and JSON
    /// ignores the space.
    static func withNumbersAsArguments(_ words: [String]) -> [String] {
        guard CommandPath(words).names == ["send"] else { return words }
        return words.map { $0.first == "-" && Double($0) != nil ? " " + $0 : $0 }
    }
}
