// Roff: text in the form of man(7).
//
// Spec       man(7), groff_char(7): `\[uXXXX]` is a character by its number.

/// Escapes text, and formats paragraphs.
enum Roff {
    /// Returns one line's text, in which nothing is read as a request or an escape.
    static func escaped(_ text: some StringProtocol) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\\": result += "\\e"
            case "-": result += "\\-"
            case "`": result += "\\(ga"
            case "'": result += "\\(aq"
            case "^": result += "\\(ha"
            case "~": result += "\\(ti"
            case _ where scalar.isASCII: result.unicodeScalars.append(scalar)
            default:
                let digits = String(scalar.value, radix: 16, uppercase: true)
                let zeros = String(repeating: "0", count: max(0, 4 - digits.count))
                result += "\\[u\(zeros)\(digits)]"
            }
        }
        return result.hasPrefix(".") ? "\\&" + result : result
    }

    /// Bytes of a filled line. Source: mandoc(1), `-T lint`.
    static let lineBytesMax = 80

    /// Returns filled text: a line of the source ends at the end of a word.
    static func filled(_ text: some StringProtocol) -> [String] {
        var lines: [String] = []
        for word in text.split(separator: " ").map({ escaped($0) }) {
            // Escaped as at the beginning of a line; elsewhere that does no harm.
            if let last = lines.last, last.utf8.count + 1 + word.utf8.count <= lineBytesMax {
                lines[lines.count - 1] = last + " " + word
            } else {
                lines.append(word)
            }
        }
        return lines
    }

    /// Returns a macro's argument.
    static func quoted(_ text: some StringProtocol) -> String {
        "\"" + escaped(text).replacing("\"", with: "\\(dq") + "\""
    }

    /// Returns paragraphs, which empty lines separate; indented lines stay as they are.
    static func paragraphs(_ text: String) -> [String] {
        var lines: [String] = []
        var isFixed = false
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            let wantsFixed = line.hasPrefix("  ")
            if isFixed, !wantsFixed {
                lines += [".fi", ".RE"]
                isFixed = false
            }
            if wantsFixed {
                if !isFixed { lines += [".RS 4", ".nf"] }
                isFixed = true
                lines.append(escaped(line.dropFirst(2)))
            } else if line.isEmpty {
                lines.append(".PP")
            } else {
                lines += filled(line)
            }
        }
        if isFixed { lines += [".fi", ".RE"] }
        return withoutIdle(lines)
    }

    /// Drops a paragraph macro that nothing follows, or that follows another one.
    private static func withoutIdle(_ lines: [String]) -> [String] {
        var kept: [String] = []
        for line in lines where !(line == ".PP" && (kept.isEmpty || kept.last == ".PP")) {
            kept.append(line)
        }
        // `.RS` itself begins a new paragraph.
        var result: [String] = []
        for (index, line) in kept.enumerated() {
            let next = index + 1 < kept.count ? kept[index + 1] : nil
            if line == ".PP", next == nil { continue }
            result.append(line)
        }
        return result
    }
}
