// ScaffoldNameTests: which names an app and a feature can have, and what is made of them.

import Testing

@testable import NapkinClient

struct ScaffoldNameTests {
    @Test(arguments: [
        ("Counter", "counter", "counter"), ("RibHouse", "rib-house", "ribHouse"),
        ("HTTPProxy", "http-proxy", "httpProxy"), ("Level2", "level2", "level2"),
        ("A", "a", "a"), ("Default", "default", "`default`"),
    ])
    func `a name is a type, an id and a variable`(
        name: String, id: String, variable: String
    ) throws {
        let known = try ScaffoldName(name, for: .feature)
        #expect(known.id == id)
        #expect(known.variable == variable)
    }

    @Test(arguments: [
        ("", "it is empty", "Counter"), ("counter", "capital letter", "Counter"),
        ("rib-house", "letters and digits only", "RibHouse"),
        ("2Fast", "capital letter", "Fast"), ("Café", "letters and digits only", "Caf"),
        ("../Counter", "letters and digits only", "Counter"),
        (String(repeating: "A", count: 33), "more than 32", String(repeating: "A", count: 32)),
        ("Self", "of Swift or napkin", "MySelf"), ("Protocol", "of Swift or napkin", "MyProtocol"),
        ("Int", "of Swift or napkin", "MyInt"), ("Napkin", "of Swift or napkin", "MyNapkin"),
        ("Text", "of Swift or napkin", "MyText"),
        ("Terminal", "of Swift or napkin", "MyTerminal"),
    ])
    func `a name that cannot be had is refused with another one`(
        name: String, problem: String, other: String
    ) {
        let failure = #expect(throws: ClientFailure.self) { try ScaffoldName(name, for: .app) }
        #expect(failure?.status == ExitTable.usage)
        #expect(failure?.message.contains(problem) == true, "\(failure?.message ?? "")")
        #expect(failure?.message.contains("'\(other)'") == true, "\(failure?.message ?? "")")
    }

    @Test func `a proposal can be had`() throws {
        for name in ["cart", "int", "text"] {
            let failure = #expect(throws: ClientFailure.self) { try ScaffoldName(name, for: .app) }
            #expect(failure?.message.contains("capital letter") == true)
        }
        #expect(try ScaffoldName("MyCart", for: .app).id == "my-cart")
        // The examples are another package.
        #expect(try ScaffoldName("Cart", for: .app).type == "Cart")
        #expect(throws: ClientFailure.self) { try ScaffoldName("State", for: .feature) }
    }
}
