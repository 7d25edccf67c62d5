// RemoteHostTests: which hosts are handed to ssh, and as what.

import Testing

@testable import NapkinFront

@Suite struct RemoteHostTests {
    @Test(arguments: [
        ("ssh://desk", [], "desk"), ("ssh://root@desk", [], "root@desk"),
        ("ssh://root@10.77.0.2:22", ["-p", "22"], "root@10.77.0.2"),
        ("ssh://a.b_c-d+@[::1]:65535", ["-p", "65535"], "a.b_c-d+@::1"),
    ])
    func `a host is ssh's last argument but for the command`(
        text: String, port: [String], destination: String
    ) throws {
        let host = try #require(RemoteHost(text, command: ["a", "b c'd"]))
        let words = host.arguments(asks: true).drop {
            $0.hasPrefix("-") && $0 != "-p" && $0 != "--"
        }
        #expect(Array(words) == port + ["--", destination, #"a 'b c'\''d'"#])
    }

    /// An option of ssh, words of a shell, what ssh would fill in, and what is no such URL.
    @Test(arguments: [
        "desk", "http://desk", "ssh://", "ssh://-oProxyCommand=id", "ssh://-l@desk",
        "ssh://a@-desk", "ssh://desk;id", "ssh://$(id)", "ssh://`id`", "ssh://de sk",
        "ssh://desk\n", "ssh://desk\u{1B}[2J", "ssh://desk/path", "ssh://user:word@desk",
        "ssh://desk:0", "ssh://desk:65536", "ssh://desk:99999999", "ssh://[::1", "ssh://@desk",
        "ssh://dé", "ssh://" + String(repeating: "h", count: 600), "-oProxyCommand=id", "ssh://%h",
        "ssh://a b", "-x",
    ])
    func `a hostile host is none`(text: String) {
        #expect(RemoteHost(text, command: []) == nil)
    }
}
