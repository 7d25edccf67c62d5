// EmptyWord: finds the empty words of a command line, which are always mistakes.

/// An empty word of a command line.
///
/// With an unset variable, `--state-dir "$DIRECTORY"` would mean `/`. None of our options and
/// arguments takes an empty value.
package enum EmptyWord {
    /// Returns a sentence about the first empty word; `nil` if there is none.
    package static func mistake(in words: [String]) -> String? {
        for (index, word) in words.enumerated() {
            if word.hasPrefix("--"), word.hasSuffix("="), !word.dropLast().contains("=") {
                return said(of: String(word.dropLast()))
            }
            guard word.isEmpty else { continue }
            let before = index > 0 ? words[index - 1] : ""
            return before.hasPrefix("--") && before != "--" && !before.contains("=")
                ? said(of: before) : "argument \(index + 1) is empty"
        }
        return nil
    }

    private static func said(of option: String) -> String {
        "\(option) is followed by nothing: give its value, or leave the option out"
    }
}
