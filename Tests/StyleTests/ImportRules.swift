// ImportRules: imports go downward only, as `ImportTable` has it.

import Foundation

extension Rule {
    static let importRules = [
        Rule(
            name: "a target imports only what its row in ImportTable allows",
            examples: [
                Example("internal import NapkinCoding\n// import Foundation\n"),
                Example("@_spi(X) public import NapkinTransport\n", broken: [1]),
                Example("\nimport struct Foundation.Data\n", broken: [2]),
                Example("Protocol/NapkinCoding/A.swift", "import Glibc\n"),
                Example("Protocol/NapkinCoding/A.swift", "import Dispatch\n", broken: [1]),
                Example("Protocol/NapkinProtocol/A.swift", "import Glibc\n", broken: [1]),
                Example("Protocol/NapkinProtocol/A.swift", "import NapkinCore\n", broken: [1]),
                Example(
                    "Sources/Runtime/NapkinRuntime/A.swift", "import Foundation\n", broken: [1]),
                Example(
                    "Sources/Runtime/NapkinDaemon/A.swift", "import NapkinFront\n", broken: [1]),
                Example(
                    "Sources/Runtime/NapkinFront/A.swift", "import NapkinDaemon\n", broken: [1]),
                Example("Sources/Runtime/NapkinFront/A.swift", "import CLibuv\n", broken: [1]),
                Example("Sources/Runtime/NapkinTransport/A.swift", "internal import CLibuv\n"),
                Example("examples/X/Contract/A.swift", "import NapkinFront\n", broken: [1]),
                Example("examples/X/Feature/A.swift", "import XContract\n"),
                Example("examples/X/Feature/A.swift", "import XFront\n", broken: [1]),
                Example("Sources/NapkinNovelty/A.swift", "import NapkinCore\n", broken: [1]),
            ],
            check: { file in
                guard file.isSwift, !file.isTest, !file.isPackage else { return [] }
                guard let row = ImportTable.row(for: file.path) else {
                    let what = "this directory has no row in ImportTable"
                    return [file.violation(1, what, do: "add one that says what it may import")]
                }
                return imports(of: file).compactMap { line, module in
                    guard !row.allows(module) else { return nil }
                    let what = "\(row.directory) must not import \(module)"
                    let advice = "move the code to the layer that may, or hand the value in"
                    return file.violation(line, what, do: advice)
                }
            }),
        Rule(
            name: "a test does not import CLibuv, CPostgres, CSQLite or CVterm",
            examples: [
                Example("Tests/XTests/A.swift", "@testable import NapkinTransport\n"),
                Example("Tests/XTests/A.swift", "import CLibuv\n", broken: [1]),
                Example("Tests/XTests/A.swift", "import CPostgres\n", broken: [1]),
                Example("Tests/XTests/A.swift", "import CSQLite\n", broken: [1]),
            ],
            check: { file in
                guard file.isSwift, file.isTest else { return [] }
                let targets = [
                    "CLibuv": "NapkinTransport", "CPostgres": "NapkinLedger",
                    "CSQLite": "NapkinLedger", "CVterm": "NapkinSystem",
                ]
                return imports(of: file).compactMap { line, module in
                    guard let target = targets[module] else { return nil }
                    let advice = "test through \(target), the only one that speaks C with it"
                    return file.violation(line, "a test must not import \(module)", do: advice)
                }
            }),
    ]

    /// The lines that import, and the module that each names.
    static func imports(of file: SourceFile) -> [(line: Int, module: String)] {
        let kinds: Set = [
            "struct", "class", "enum", "protocol", "typealias", "func", "let", "var", "actor",
        ]
        return occurrences(of: "import", in: file.code).compactMap { offset in
            let number = file.line(at: offset)
            let line = String(decoding: file.line(number, of: file.code), as: UTF8.self)
            let words = line.split(whereSeparator: \.isWhitespace)
            guard let keyword = words.firstIndex(of: "import"),
                words[..<keyword].allSatisfy({ $0.hasPrefix("@") || isAccessLevel($0) })
            else { return nil }
            let names = words[(keyword + 1)...].drop { kinds.contains(String($0)) }
            return names.first?.split(separator: ".").first.map { (number, String($0)) }
        }
    }

    private static func isAccessLevel(_ word: Substring) -> Bool {
        ["public", "package", "internal", "fileprivate", "private"].contains(word)
    }
}
