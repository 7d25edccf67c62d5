// SummaryRule: a documentation comment begins as a person would begin a sentence.

import Foundation

extension Rule {
    /// A summary that begins so refers to something that stands elsewhere, if anywhere.
    static let danglingStarts = ["That ", "Those ", "Of ", "As it ", "In the order "]

    static let summary = Rule(
        name: "a summary has a subject of its own",
        examples: [
            Example("/// The connection's identity.\nlet a = 1\n"),
            Example("/// The newest value.\n///\n/// That of the parent is older.\nlet a = 1\n"),
            Example("/// Ofen and Thatcher.\nlet a = 1\n"),
            Example("/// That of the parent; 0 at the root.\nlet a = 1\n", broken: [1]),
            Example("let a = 1\n\n    /// Those that wait.\n    let b = 1\n", broken: [3]),
            Example("/// Of a front that comes back.\nlet a = 1\n", broken: [1]),
        ],
        check: { file in
            guard file.isSwift, !file.isTest else { return [] }
            return (1...file.lineCount).compactMap { number in
                guard let text = documentation(number, of: file),
                    number == 1 || documentation(number - 1, of: file) == nil,
                    danglingStarts.contains(where: text.hasPrefix)
                else { return nil }
                return file.violation(
                    number, "a summary that begins with `\(text.prefix { $0 != " " })`",
                    do: "begin with what it is about: `The …`, or with a verb")
            }
        })

    /// What a line says behind `///`, if it is a line of documentation.
    private static func documentation(_ number: Int, of file: SourceFile) -> String? {
        guard file.isCommentOnly(number) else { return nil }
        let line = file.text(ofLine: number).trimmingCharacters(in: .whitespaces)
        guard line.hasPrefix("///") else { return nil }
        return line.dropFirst(3).trimmingCharacters(in: .whitespaces)
    }
}
