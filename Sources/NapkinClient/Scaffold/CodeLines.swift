// CodeLines: generated code as lines that are not too wide.

/// Lays out code as swift-format does.
enum CodeLines {
    /// Columns of a line.
    static let columnsMax = 100

    /// A call, of a function or of an initialiser.
    struct Call {
        let head: String
        let arguments: [String]

        init(_ head: String, _ arguments: [String]) {
            self.head = head
            self.arguments = arguments
        }

        /// Returns the call's lines, without indentation.
        ///
        /// - Parameters:
        ///   - before: what the first line begins with.
        ///   - depth: spaces that will be before each line.
        func lines(_ before: String = "", depth: Int) -> [String] {
            let line = "\(before)\(head)(\(arguments.joined(separator: ", ")))"
            guard line.count + depth > columnsMax else { return [line] }
            var lines = filled(arguments, depth: depth + 4)
            lines[lines.count - 1] += ")"
            return ["\(before)\(head)("] + lines
        }

        /// Returns the lines of the call with a closure behind it, without indentation.
        func lines(closure: String, depth: Int) -> [String] {
            let call = "\(head)(\(arguments.joined(separator: ", "))) {"
            guard call.count + depth <= columnsMax else {
                return ["\(head)("] + filled(arguments, depth: depth + 4)
                    + [") {", "    \(closure)", "}"]
            }
            let line = "\(call) \(closure) }"
            return line.count + depth <= columnsMax ? [line] : [call, "    \(closure)", "}"]
        }
    }

    /// Returns an initialiser's lines, without indentation, as it stands in a type.
    static func initializer(_ parameters: [String], _ assignments: [String]) -> [String] {
        let line = "init(\(parameters.joined(separator: ", "))) {"
        let head =
            line.count + 4 > columnsMax
            ? ["init("] + filled(parameters, depth: 8) + [") {"] : [line]
        return head + assignments.map { "    \($0)" } + ["}"]
    }

    /// Returns an expectation that lines are equal to a list, without indentation.
    static func expectation(_ lines: String, _ elements: [String], depth: Int) -> [String] {
        let line = "#expect(\(lines) == [\(elements.joined(separator: ", "))])"
        guard line.count + depth > columnsMax else { return [line] }
        return ["#expect(", "    \(lines) == ["] + elements.map { "        \($0)," } + ["    ])"]
    }

    /// Fills lines with what commas separate; each begins with four spaces.
    private static func filled(_ parts: [String], depth: Int) -> [String] {
        var lines: [String] = []
        for (index, part) in parts.enumerated() {
            let text = part + (index + 1 < parts.count ? "," : "")
            if let last = lines.last, last.count + 1 + text.count + depth - 4 < columnsMax {
                lines[lines.count - 1] = "\(last) \(text)"
            } else {
                lines.append("    \(text)")
            }
        }
        return lines
    }
}
