// ScaffoldNameTests: which names an app and a feature can have, and what is made of them.

import Foundation
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
        ("Self", "keyword", "MySelf"), ("Protocol", "keyword", "MyProtocol"),
        ("Int", "Swift has a type", "MyInt"), ("Napkin", "napkin's own targets", "MyNapkin"),
        ("Text", "called Text", "MyText"),
        ("Terminal", "called TerminalScreen", "MyTerminal"),
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

    /// From the sources: what is added there must be reserved here.
    @Test func `the reserved names are those that napkin has`() throws {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let modules = [
            "Sources/NapkinCore", "Sources/NapkinElements", "Sources/NapkinFront",
            "Sources/NapkinTerminal", "Sources/NapkinTesting", "Protocol/NapkinCoding",
        ]
        var declared: Set<String> = []
        for module in modules {
            let walk = FileManager.default.enumerator(
                at: root.appendingPathComponent(module), includingPropertiesForKeys: nil)
            for case let file as URL in try #require(walk) where file.pathExtension == "swift" {
                let text = try String(contentsOf: file, encoding: .utf8)
                for line in text.split(separator: "\n") {
                    // Nested types are indented.
                    let kind =
                        #/
                        ^(?:@\w+\ )*(?:public|open)\ (?:nonisolated\ |final\ |indirect\ )*
                        (?:struct|class|enum|actor|protocol|typealias)\ (\w+)
                        /#
                    if let found = line.prefixMatch(of: kind) { declared.insert(String(found.1)) }
                }
            }
        }
        #expect(declared.count > 150)
        let missing = declared.subtracting(ReservedNames.napkin)
        #expect(missing == [], "add these to ReservedNames.napkin")
        let more = ReservedNames.napkin.subtracting(declared)
        #expect(
            more.isSubset(of: [
                "AppCommand", "Client", "Composition", "DaemonOptions", "WorkerProgram",
            ]),
            "these are no types any more: \(more)")
    }
}
