// FormerDaemonTests: which options and variables of a napkind its successor gets.

import Testing

@testable import NapkinClient

@Suite
struct FormerDaemonTests {
    @Test(arguments: [
        (["napkind"], []),
        (["napkind", "--ready-fd", "3"], []),
        (["napkind", "--ready-fd=3", "--state-dir", "/s"], ["--state-dir", "/s"]),
        (
            ["/usr/bin/napkind", "--set", "till.note=", "--ready-fd", "3", "--apps", "a b"],
            ["--set", "till.note=", "--apps", "a b"]
        ),
    ])
    func `all of them, but not the descriptor that was told`(
        words: [String], arguments: [String]
    ) {
        let line = words.map { $0 + "\0" }.joined()
        let former = FormerDaemon(
            commandLine: line, environment: "A=b=c\0EMPTY=\0", directory: "/")
        #expect(former.program == "napkind" && former.arguments == arguments)
        #expect(former.environment == ["A": "b=c", "EMPTY": ""])
    }
}
