// ShapeRules: how long a file and a line may be, and what a file may be called.

import Foundation

extension Rule {
    static let linesPerFileMax = 400
    static let columnsMax = 100
    /// Words that say nothing about what is in a file.
    static let emptyWords = [
        "Utils", "Util", "Utilities", "Helpers", "Helper", "Manager", "Types", "Misc", "Common",
    ]

    static let shapeRules = [
        Rule(
            name: "a file has at most \(linesPerFileMax) lines",
            examples: [
                Example(String(repeating: "\n", count: 400)),
                Example(String(repeating: "\n", count: 401), broken: [401]),
            ],
            check: { file in
                guard file.isSwift, file.lineCount > linesPerFileMax else { return [] }
                let what = "the file has \(file.lineCount) lines, \(linesPerFileMax) are the limit"
                return [
                    file.violation(file.lineCount, what, do: "cut it along its second concept")
                ]
            }),
        Rule(
            name: "a line has at most \(columnsMax) columns",
            examples: [
                Example(String(repeating: "─", count: 100)),
                Example("\n" + String(repeating: "a", count: 101), broken: [2]),
            ],
            check: { file in
                guard file.isSwift else { return [] }
                return (1...file.lineCount).compactMap { number in
                    guard file.line(number, of: file.bytes).count > columnsMax else { return nil }
                    let columns = file.text(ofLine: number).count
                    guard columns > columnsMax else { return nil }
                    let what = "\(columns) columns, \(columnsMax) are the limit"
                    return file.violation(number, what, do: "break the line (`make format`)")
                }
            }),
        Rule(
            name: "a file is named by its noun",
            examples: [
                Example("Sources/Runtime/NapkinCore/Prototypes.swift", ""),
                Example("Sources/Runtime/NapkinCore/SocketUtils.swift", "", broken: [1]),
                Example("Tests/RuntimeTests/Core/Types.swift", "", broken: [1]),
            ],
            check: { file in
                guard file.isSwift, let word = emptyWords.first(where: file.baseName.hasSuffix)
                else { return [] }
                let what = "a file called \(word) has no concept of its own"
                return [file.violation(1, what, do: "name it by the one noun that it holds")]
            }),
    ]
}
