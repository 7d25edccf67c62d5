// WebDoorTests: requests that no page of ours would send, written byte by byte.

import Foundation
import ProofSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct WebDoorTests {
    /// What the servers of these tests are reached by: `nil` is a port of this machine, without a
    /// proxy; otherwise they listen on a socket.
    static let origins = [nil, "https://napkin.test", "https://napkin.test:8443"]

    private func withDoor(
        _ origin: String?, _ body: (PageDoor) async throws -> Void
    ) async throws {
        let place = try await Workplace.questions().started()
        let door = try await PageDoor(place, ["web", Question.app, "--no-open"], origin: origin)
        try await body(door)
        // It has refused, and goes on.
        #expect(try door.request("/").hasPrefix("HTTP/1.1 403"))
        door.web.signal(SIGTERM)
        #expect(await door.web.exit() == 0)
    }

    /// One of each kind: DoorTests have the rest.
    @Test(arguments: origins)
    func `a token opens the page once, and nothing of a stranger is answered`(
        _ origin: String?
    ) async throws {
        try await withDoor(origin) { door in
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
                try door.request(path, cookie: cookie, ["Host: \(door.host)"]),
                try door.request(path, cookie: cookie, ["Origin: http://evil.example"]),
                try door.request("\(path)../etc/passwd", cookie: cookie),
                try door.request("http://evil.example/", cookie: cookie),
                try door.request("\(path)socket?tab=", PageDoor.upgrade(origin: door.origin)),
                try door.answer(
                    to: "GET / HTTP/1.1\r\nHost: \(door.host)\r\nContent-Length: 4\r\n"
                        + "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET / HTTP/1.1\r\n\r\n"),
            ]
            let bodies = try ["Content-Length: 5", "Transfer-Encoding: chunked"].map { header in
                try door.answer(
                    to: "GET / HTTP/1.1\r\nHost: \(door.host)\r\nCookie: \(cookie)\r\n"
                        + "\(header)\r\n\r\n5\r\nhello\r\n0\r\n\r\n")
            }
            let methods = try ["POST", "CONNECT", "TRACE", "BREW"].map { method in
                try door.request(path, method: method, cookie: cookie)
            }
            let sockets = try [nil, "http://evil.example"].map { origin in
                let upgrade = PageDoor.upgrade(origin: origin)
                return try door.request("\(path)socket?tab=", cookie: cookie, upgrade)
            }
            for answer in answers + bodies + methods + sockets {
                #expect(answer.hasPrefix("HTTP/1.1 4"), "\(answer)")
            }
            #expect(try door.answer(to: "GET / HTTP/1.0\r\n\r\n").hasPrefix("HTTP/1.1 505"))
            if origin == nil { try endsAlone(door) }
        }
    }

    /// What is too long, too slow or no HTTP ends its connection alone.
    private func endsAlone(_ door: PageDoor) throws {
        let long = String(repeating: "a", count: 20_000)
        #expect(!(try door.request("/", ["X: \(long)"])).contains(" 200 "))
        #expect(!(try door.request("/\(long)")).contains(" 200 "))
        let many = (0..<200).map { "X-\($0): 1" }
        #expect(!(try door.request("/", many)).contains(" 200 "))
        #expect(!(try door.answer(to: "\u{0}\u{1}\u{2}\r\n\r\n")).contains(" 200 "))
        // Nothing at all, and a header that never ends: closed after five seconds.
        let start = ContinuousClock.now
        let silent = try door.connect()
        #expect(try door.answer(to: "GET / HTTP/1.1\r\nX: ") == "")
        #expect(try silent.readToEnd().isEmpty)
        silent.close()
        #expect(start.duration(to: .now) < .seconds(9))
    }
}
