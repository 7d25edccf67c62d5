// MethodWordsTests: the names of methods, as people read them.

import Testing

@testable import NapkinElements
@testable import NapkinTerminal

@Suite struct MethodWordsTests {
    @Test(arguments: [
        ("confirmEmptying(_:)", "Confirm emptying"), ("present(supplies:)", "Supplies"),
        ("present(pitSummary:)", "Pit summary"), ("present(_:)", "Present"),
        ("didTapLogin()", "Login"), ("didTap()", "Tap"), ("didChoose(source:)", "Choose source"),
        ("change(quantity:of:)", "Change quantity"), ("didOrder(order:)", "Order"),
        ("didRename(from:to:)", "Rename"), ("chooseFate(of:pieces:)", "Choose fate"),
        ("openURLOfDish(_:)", "Open URL of dish"), ("put(_:isCold:)", "Put"),
        ("ring(bell:)", "Ring bell"), ("did()", "Did"), ("present()", "Present"),
        ("snake_case(_:)", "Snake case"), ("größe(_:)", "Größe"),
        // No method's keys.
        ("#123", "#123"), ("", ""), ("()", "()"), ("plain", "plain"),
    ])
    func `a title is made of the contract's own words`(key: String, title: String) {
        #expect(MethodWords.title(of: key) == title)
    }
}
