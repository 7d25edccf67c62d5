// IsolationRule: what a head says about isolation, in few words, and whether that is true.

extension Rule {
    /// What the label `Isolation` may begin with, and what it means.
    static let isolations: [(word: String, meaning: String)] = [
        ("value", "value types only: whoever keeps a value isolates it"),
        ("none of its own", "declarations and functions that run where their caller runs"),
        ("confined", "a reference that never leaves the call or the object that created it"),
        ("Sendable", "frozen after construction, so that any thread may read it"),
        ("@MainActor", "the loop thread, or the main thread of a host that embeds the loop"),
        ("actor (loop executor)", "an actor that runs on the loop thread"),
        ("actor (default)", "an actor on the platform's pool"),
        ("actor (own executor", "an actor that is its own executor"),
        ("any thread", "a lock, the kernel or the lack of state makes it safe"),
        ("main thread", "code that runs before there are actors or other threads"),
    ]

    static let isolation = Rule(
        name: "the head's isolation is of the vocabulary, and true",
        examples: [
            Example("// A: a.\n//\n// Isolation  value; owned by one link.\nstruct A {}\n"),
            Example("// A: a.\n//\n// Isolation  any thread (Mutex).\nfinal class A {}\n"),
            Example("// A: a.\n//\n// Isolation  actor (default).\npublic actor A {}\n"),
            Example("// A: a.\n//\n// Isolation  value.\n// class A, in words\n"),
            Example("// A: a.\n//\n// Isolation  values.\nstruct A {}\n", broken: [3]),
            Example("// A: a.\n//\n// Isolation  loop thread.\nstruct A {}\n", broken: [3]),
            Example("// A: a.\n//\n// Isolation  value.\nfinal class A {}\n", broken: [4]),
            Example("// A: a.\n//\n// Isolation  none of its own.\nactor A {}\n", broken: [4]),
            Example("// A: a.\n//\n// Isolation  @MainActor.\n@B final actor A {}\n", broken: [4]),
            Example("// A: a.\n//\n// Isolation  @MainActor.\nprivate actor A {}\n"),
        ],
        check: { file in
            guard file.isSwift, !file.isTest, let (line, said) = label(of: file) else {
                return []
            }
            guard isolations.contains(where: { begins(said, with: $0.word) }) else {
                let words = isolations.map(\.word).joined(separator: " · ")
                return [file.violation(line, "isolation `\(said)`", do: "begin with: \(words)")]
            }
            let isActor = said.hasPrefix("actor")
            let isValue = ["value", "none of its own"].contains { begins(said, with: $0) }
            return (1...file.lineCount).compactMap { number in
                guard let type = reference(declaredOn: number, of: file) else { return nil }
                let isLie = isValue || (type.isActor && !type.isPrivate && !isActor)
                guard isLie else { return nil }
                let kind = type.isActor ? "an actor" : "a class"
                return file.violation(
                    number, "\(kind) in a file whose head says `\(said)`",
                    do: "say in the head what isolates it")
            }
        })

    /// The head's line with the label, and what follows the label.
    private static func label(of file: SourceFile) -> (line: Int, said: String)? {
        for number in 1...file.lineCount {
            let text = file.text(ofLine: number)
            guard text.hasPrefix("//") else { return nil }
            guard text.hasPrefix("// Isolation ") else { continue }
            return (number, String(text.dropFirst("// Isolation ".count).drop { $0 == " " }))
        }
        return nil
    }

    private static func begins(_ text: String, with word: String) -> Bool {
        guard text.hasPrefix(word) else { return false }
        return text.dropFirst(word.count).first.map { !$0.isLetter && !$0.isNumber } ?? true
    }

    /// The class or actor that a line of code declares.
    private static func reference(
        declaredOn number: Int, of file: SourceFile
    ) -> (isActor: Bool, isPrivate: Bool)? {
        let line = String(decoding: file.line(number, of: file.code), as: UTF8.self)
        let words = line.split(separator: " ")
        guard let keyword = words.firstIndex(where: { $0 == "class" || $0 == "actor" }),
            keyword + 1 < words.count, words[keyword + 1].first?.isUppercase == true
        else { return nil }
        let modifiers = words[..<keyword]
        let known: Set<Substring> = [
            "public", "package", "internal", "fileprivate", "private", "open", "final",
            "nonisolated",
        ]
        guard modifiers.allSatisfy({ known.contains($0) || $0.hasPrefix("@") }) else { return nil }
        return (words[keyword] == "actor", modifiers.contains("private"))
    }
}
