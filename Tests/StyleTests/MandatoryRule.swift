// MandatoryRule: what a document calls mandatory has no default because of its initial value.

extension Rule {
    /// Folders whose messages a document specifies.
    private static let specified = ["Protocol/NapkinProtocol/", "Sources/Runtime/NapkinLedger/"]

    static let mandatory = Rule(
        name: "a message with initial values that a document specifies has MandatoryFields",
        examples: [
            Example(
                "Protocol/NapkinProtocol/A.swift",
                "@Message\nstruct A: B {\n    var a: Int = 1\n    static let b: Int = 2\n}\n",
                broken: [3]),
            Example(
                "Sources/Runtime/NapkinLedger/A.swift",
                "@Message\nstruct A {\n    @Message struct B {\n        var a = 1\n    }\n"
                    + "    var a = 1\n}\n", broken: [4, 6]),
            Example(
                "Protocol/NapkinProtocol/A.swift",
                "@Message\nstruct A: MandatoryFields {\n    var a: Int = 1\n}\n"),
            Example(
                "Protocol/NapkinProtocol/A.swift",
                "@Message\nstruct A {\n    var a: Int\n    var b: Int?\n}\nstruct B {\n"
                    + "    var a: Int = 1\n}\n"),
            Example("@Message\nstruct A {\n    var a: Int = 1\n}\n"),
        ],
        check: { file in
            guard specified.contains(where: file.path.hasPrefix) else { return [] }
            // By the indentation of its fields, whether the type around them is to be marked.
            var isUnmarked: [Int: Bool] = [:]
            var isMessage = false
            var violations: [Violation] = []
            for number in 1...file.lineCount {
                let line = String(decoding: file.line(number, of: file.code), as: UTF8.self)
                let indentation = line.prefix { $0 == " " }.count
                isMessage = isMessage || line.contains("@Message")
                if ["struct ", "enum ", "extension "].contains(where: { line.contains($0) }) {
                    isUnmarked[indentation + 4] = isMessage && !line.contains("MandatoryFields")
                    isMessage = false
                } else if isUnmarked[indentation] == true, line.contains("var "),
                    line.contains(" = "), !line.contains("static ")
                {
                    violations.append(
                        file.violation(
                            number, "an initial value stands in for a missing key",
                            do: "conform to MandatoryFields"))
                }
            }
            return violations
        })
}
