// EmptyWord: finds what a command line leaves empty, where a path or a name is wanted.
//
// Layer      transport, output: where both programs find it.
// Isolation  value.

/// A word of a command line without anything in it.
///
/// `--state-dir "$DIRECTORY"` with a variable that is not set would mean `/`. No option and no
/// argument of ours has an empty value.
package enum EmptyWord {
    /// What is wrong, in a sentence; `nil` when every word says something.
    package static func mistake(in words: [String]) -> String? {
        for (index, word) in words.enumerated() {
            if word.hasPrefix("--"), word.hasSuffix("="), !word.dropLast().contains("=") {
                return said(of: String(word.dropLast()))
            }
            guard word.isEmpty else { continue }
            let before = index > 0 ? words[index - 1] : ""
            return before.hasPrefix("--") && before != "--" && !before.contains("=")
                ? said(of: before) : "argument \(index + 1) is empty, and every one says something"
        }
        return nil
    }

    private static func said(of option: String) -> String {
        "\(option) is followed by nothing: give its value, or leave the option out"
    }
}
