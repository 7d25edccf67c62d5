// WebAccessTests: requests that no page of ours would send, written byte by byte.

import Foundation
import ProofSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct WebAccessTests {
    /// One of each kind: WebAccessControlTests have the rest. `nil` is a port of this machine,
    /// without a proxy; otherwise the server listens on a socket.
    @Test(arguments: [nil, "https://napkin.test:8443"])
    func `a token opens the page once, and nothing of a stranger is answered`(
        _ origin: String?
    ) async throws {
        let place = try await Workplace.questions().started()
        let door = try await PageDoor(place, ["web", Question.app, "--no-open"], origin: origin)
        #expect(try door.request("/?token=\(door.token)x").hasPrefix("HTTP/1.1 403"))
        let (cookie, path) = try door.enter()
        #expect(try door.request("/?token=\(door.token)").hasPrefix("HTTP/1.1 403"))
        let page = try door.request(path, cookie: cookie)
        #expect(page.hasPrefix("HTTP/1.1 200"))
        #expect(page.contains("Content-Security-Policy: default-src 'none'; script-src 'self'"))
        for line in page.split(separator: "\r\n") { #expect(!line.contains(door.token)) }
        let evil = "evil.example"
        #expect(try door.request(path, host: evil, cookie: cookie).hasPrefix("HTTP/1.1 421"))
        let answers = [
            try door.request(path, cookie: cookie, ["Origin: http://evil.example"]),
            try door.answer(
                to: "GET / HTTP/1.1\r\nHost: \(door.host)\r\nContent-Length: 4\r\n"
                    + "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET / HTTP/1.1\r\n\r\n"),
            try door.request(path, method: "TRACE", cookie: cookie),
            try door.request(
                "\(path)socket?tab=", cookie: cookie,
                PageDoor.upgrade(origin: "http://evil.example")),
        ]
        for answer in answers {
            #expect(answer.hasPrefix("HTTP/1.1 4"), "\(answer)")
        }
        #expect(try door.answer(to: "GET / HTTP/1.0\r\n\r\n").hasPrefix("HTTP/1.1 505"))
        if origin == nil { try endsAlone(door) }
        // It has refused, and goes on.
        #expect(try door.request("/").hasPrefix("HTTP/1.1 403"))
        door.web.signal(SIGTERM)
        #expect(await door.web.exit() == 0)
    }

    /// What is too long, too slow or no HTTP ends its connection alone.
    private func endsAlone(_ door: PageDoor) throws {
        let long = String(repeating: "a", count: 20_000)
        let many = (0..<200).map { "X-\($0): 1" }
        for answer in [
            try door.request("/", ["X: \(long)"]), try door.request("/\(long)"),
            try door.request("/", many), try door.answer(to: "\u{0}\u{1}\u{2}\r\n\r\n"),
        ] {
            #expect(answer == "" || answer.hasPrefix("HTTP/1.1 4"), "\(answer)")
        }
        // Nothing at all, and a header that never ends: closed after five seconds.
        let start = ContinuousClock.now
        let silent = try door.connect()
        #expect(try door.answer(to: "GET / HTTP/1.1\r\nX: ") == "")
        #expect(try silent.readToEnd().isEmpty)
        silent.close()
        #expect(start.duration(to: .now) < .seconds(9))
    }
}
