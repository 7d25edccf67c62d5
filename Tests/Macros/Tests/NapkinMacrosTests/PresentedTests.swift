// PresentedTests: what `@Presented` and `#presenter` write, and where the first cannot be.

import Testing

@Suite struct PresentedTests {
    @Test func `a state that is only kept needs no method of the author's`() {
        expectExpansion(
            of: """
                final class BoardView: BoardPresentable {
                    @Presented private var sections: [Section] = []
                    @Presented package var `default`: Int? = nil
                    @Presented var _copy: Int = 0
                }
                """,
            """
            final class BoardView: BoardPresentable {
                private var sections: [Section] = []

                func present(sections: [Section]) async {
                    self.sections = sections
                }
                package var `default`: Int? = nil

                package func present(`default`: Int?) async {
                    self.`default` = `default`
                }

                package func present(`default`: Int) async {
                    self.`default` = `default`
                }
                var _copy: Int = 0
            }
            """)
    }

    @Test(arguments: [
        "var count = 0", "let count: Int = 0", "static var count: Int = 0",
        "var (a, b): (Int, Int) = (0, 0)", "func count() {}",
    ])
    func `anything but one variable with its type is refused`(member: String) {
        let (findings, _) = refusals(of: "final class V {\n    @Presented \(member)\n}")
        #expect(findings.map(\.rule) == ["misplacedPresented"])
        #expect(findings.map(\.place) == ["@Presented"])
    }

    @Test func `a model is converted to its contract where it is registered`() {
        expectExpansion(
            of: "let presenter: (BoardModel) -> any BoardPresentable = #presenter",
            #"let presenter: (BoardModel) -> any BoardPresentable = \.self"#)
    }
}
