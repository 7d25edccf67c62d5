// DurableExpansionTests: what `@Durable` makes of an interactor, word for word.

import Testing

@Suite("@Durable")
struct DurableExpansionTests {
    @Test func `an interactor reports the changes of its state`() {
        expectExpansion(
            of: """
                @Durable
                final actor CartInteractor: PresentableInteractable {
                    var state = State()
                    @Volatile private var isAsking = false
                    @Volatile lazy var cache = Cache()
                    nonisolated let lifecycle = InteractorLifecycle()
                    static var count = 0
                    var total: Int { state.total }

                    init(basket: Basket) {
                        state.basket = basket
                    }
                }
                """,
            """
            final actor CartInteractor: PresentableInteractable {
                @NapkinCore.ReportsChanges
                var state = State()
                private var isAsking = false
                lazy var cache = Cache()
                nonisolated let lifecycle = InteractorLifecycle()
                static var count = 0
                var total: Int { state.total }

                init(basket: Basket) {
                    state.basket = basket
                }

                /// Reports the changes of `state`.
                nonisolated let durability = NapkinCore.DurableNode()
            }

            extension CartInteractor: NapkinCore.DurableInteractable {
            }
            """)
    }

    @Test func `the observer does not copy the old state`() {
        expectExpansion(
            of: """
                @ReportsChanges
                var state = State()
                """,
            """
            var state = State() {
                didSet {
                    durability.changed()
                }
            }
            """)
    }

    @Test(arguments: [
        ("public ", "", "public "), ("package ", "", "package "), ("", "", ""),
        ("internal ", "", ""), ("private ", "", ""), ("fileprivate ", "", ""),
        ("", "public ", "public "), ("", "package ", "package "), ("internal ", "public ", ""),
        ("", "private ", ""),
    ])
    func `durability is as visible as the protocol asks for`(
        own: String, outer: String, expected: String
    ) {
        let actor = "@Durable \(own)final actor A: Interactable { var state = S() }"
        let (findings, expanded) = refusals(
            of: outer.isEmpty ? actor : "\(outer)extension Outer { \(actor) }")
        #expect(findings.isEmpty)
        #expect(expanded.contains("\n    \(expected)nonisolated let durability"), "\(expanded)")
    }

    @Test func `what the interactor has already is not added`() {
        let (findings, expanded) = refusals(
            of: """
                @Durable
                final actor A: NapkinCore.DurableInteractable {
                    struct Other {}
                    var state: Other
                    nonisolated let durability: DurableNode
                }
                """)
        #expect(findings.isEmpty)
        #expect(!expanded.contains("DurableNode()") && !expanded.contains("extension"))
        #expect(expanded.contains("@NapkinCore.ReportsChanges"))
    }

    @Test func `a marked variable in an #if, and a state with its type elsewhere, are fine`() {
        let (findings, _) = refusals(
            of: """
                @Durable
                final actor A {
                    typealias State = Other
                    #if DEBUG
                    @Volatile weak var probe: Probe?
                    let limit = 3
                    #elseif os(Linux)
                    var limit: Int { 4 }
                    #endif
                    fileprivate var `state`: State
                    @available(*, deprecated) @Volatile var (a, b) = (1, 2)
                }
                """)
        #expect(findings.isEmpty)
    }
}
