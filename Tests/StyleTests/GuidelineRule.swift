// GuidelineRule: what people copy from has no callbacks, no Combine and no needless annotation.

extension Rule {
    /// What is prohibited, and what to write instead.
    private static let prohibited: [(words: [String], advice: String)] = [
        (
            ["DispatchQueue", "queue: .main", "queue: .global("],
            "use an actor, @MainActor or @concurrent"
        ),
        (
            [
                "completion", "completionHandler", "completionBlock", "onCompletion",
                "@escaping (Result<", "@escaping @Sendable (Result<",
            ], "make the function async, with typed throws"
        ),
        (
            [
                "ObservableObject", "@Published", "objectWillChange", "@StateObject",
                "@ObservedObject", "@EnvironmentObject",
            ], "use @Observable, and @State for what a view keeps"
        ),
        (
            ["NotificationCenter"],
            "call a listener, or hand an actor a @Sendable (Event) -> Void"
        ),
        (
            [
                "Combine", "OpenCombine", "AnyPublisher", "AnyCancellable", "PassthroughSubject",
                "CurrentValueSubject",
            ], "use a StateCell, or an AsyncSequence"
        ),
    ]

    /// Where an app's author looks for how to write one.
    private static let models = [
        "examples/", "Sources/Client/NapkinClient/Templates/", "Sources/Napkin/Napkin.docc/",
    ]

    static let guideline = Rule(
        name: "examples and templates use none of what the guidelines prohibit",
        examples: [
            Example("examples/X/Front/A.swift", "DispatchQueue.main.async { a() }\n", broken: [1]),
            Example("examples/X/Tests/A.swift", "DispatchQueue.global().sync {}\n", broken: [1]),
            Example("examples/X/Feature/A.swift", "f(queue: .global())\n", broken: [1]),
            Example(
                "examples/X/Feature/A.swift",
                "func a(completion: B) {}\nfunc b(then: @escaping (Result<A, B>) -> Void)\n",
                broken: [1, 2]),
            Example(
                "Sources/Client/NapkinClient/Templates/App/A.swift",
                "final class A: ObservableObject {\n    @Published var b = 1\n}\n",
                broken: [1, 2]),
            Example(
                "Sources/Napkin/Napkin.docc/Resources/a.swift",
                "NotificationCenter.default.post(name: a, object: nil)\n", broken: [1]),
            Example(
                "examples/X/Front/A.swift",
                "import Combine\nvar a: AnyPublisher<Int, Never>\n", broken: [1, 2]),
            Example(
                "examples/X/Front/A.swift",
                "// DispatchQueue.main\n\"@Published\"\nstate.completed()\nlet isCombined = 1\n"),
            Example("Sources/Runtime/NapkinCore/A.swift", "DispatchQueue.main.async {}\n"),
        ],
        check: { file in
            guard file.isSwift, models.contains(where: file.path.hasPrefix) else { return [] }
            return prohibited.flatMap { words, advice in
                words.flatMap { word in
                    occurrences(of: word, in: file.code).map { offset in
                        file.violation(file.line(at: offset), "`\(word)`", do: advice)
                    }
                }
            }
        })

    static let frontDefault = Rule(
        name: "an example's front is on the main actor by its module's default",
        examples: [
            Example("examples/X/Front/A.swift", "nonisolated enum A {}\n// @MainActor\n"),
            Example("examples/X/Tests/A.swift", "@MainActor final class A {}\n"),
            Example("examples/X/Front/A.swift", "\n@MainActor final class A {}\n", broken: [2]),
        ],
        check: { file in
            let parts = file.path.split(separator: "/")
            guard parts.first == "examples", parts.dropFirst(2).first == "Front" else { return [] }
            return occurrences(of: "@MainActor", in: file.code).map { offset in
                file.violation(
                    file.line(at: offset), "`@MainActor` in a front",
                    do: "leave it out: the module's setting says so")
            }
        })
}
