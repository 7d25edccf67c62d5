// WebDoorTests: requests that no page of ours would send, written byte by byte.

import Foundation
import ProcessSupport
import Testing

@Suite(.timeLimit(.minutes(2)))
struct WebDoorTests {
    private struct Door {
        let place: Workplace
        let port: Int
        let token: String

        /// Sends bytes, and returns all that comes until the server closes.
        func answer(to request: String) throws -> String {
            let peer = RawPeer(descriptor: try connect())
            peer.wait(seconds: RawPeer.patienceSeconds)
            defer { peer.close() }
            peer.send(Array(request.utf8))
            return String(decoding: try peer.readToEnd(), as: UTF8.self)
        }

        func connect() throws -> Int32 {
            let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = in_port_t(port).bigEndian
            address.sin_addr.s_addr = inet_addr("127.0.0.1")
            let size = socklen_t(MemoryLayout<sockaddr_in>.size)
            let result = withUnsafePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    Foundation.connect(descriptor, $0, size)
                }
            }
            try Failure.unless(result == 0, "the server does not listen")
            return descriptor
        }

        func request(
            _ target: String, method: String = "GET", host: String? = nil, cookie: String? = nil,
            _ more: [String] = []
        ) throws -> String {
            let lines =
                ["\(method) \(target) HTTP/1.1", "Host: \(host ?? "127.0.0.1:\(port)")"]
                + (cookie.map { ["Cookie: \($0)"] } ?? []) + more
            return try answer(to: lines.joined(separator: "\r\n") + "\r\n\r\n")
        }

        /// Exchanges the token; returns the cookie, and where the page is.
        func enter() throws -> (cookie: String, path: String) {
            let answer = try request("/?token=\(token)")
            try Failure.unless(answer.hasPrefix("HTTP/1.1 303"), answer)
            func value(of name: String) -> String {
                let line = answer.split(separator: "\r\n").first { $0.hasPrefix("\(name): ") }
                return String((line ?? "").dropFirst(name.count + 2).prefix { $0 != ";" })
            }
            return (value(of: "Set-Cookie"), value(of: "Location"))
        }
    }

    private func withDoor(_ body: (Door) async throws -> Void) async throws {
        let place = Workplace(
            daemon: "QuestionDaemon", apps: InstalledApp.questions, app: Question.app)
        defer { place.cleanUp() }
        try await place.daemon()
        let web = try place.client(["web", Question.app, "--no-open"])
        let (_, url) = try await web.line { $0.hasPrefix("http://127.0.0.1:") }
        let parts = url.split(separator: ":").last?.split(separator: "/?token=") ?? []
        let door = Door(
            place: place, port: try #require(Int(parts.first ?? "")),
            token: String(try #require(parts.last)))
        try await body(door)
        // It has refused, and goes on.
        #expect(try door.request("/").hasPrefix("HTTP/1.1 403"))
        web.signal(SIGTERM)
        #expect(await web.exit() == 0)
    }

    /// What a browser sends to open a WebSocket.
    private func upgrade(origin: String?) -> [String] {
        [
            "Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Version: 13",
            "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==",
        ] + (origin.map { ["Origin: \($0)"] } ?? [])
    }

    @Test func `a token opens the page once, for one browser`() async throws {
        try await withDoor { door in
            #expect(try door.request("/").hasPrefix("HTTP/1.1 403"))
            #expect(try door.request("/?token=").hasPrefix("HTTP/1.1 403"))
            #expect(try door.request("/?token=\(door.token)x").hasPrefix("HTTP/1.1 403"))
            #expect(
                try door.request("/?token=\(door.token)", method: "HEAD")
                    .hasPrefix("HTTP/1.1 404"))
            let (cookie, path) = try door.enter()
            #expect(try door.request("/?token=\(door.token)").hasPrefix("HTTP/1.1 403"))
            let page = try door.request(path, cookie: cookie)
            #expect(page.hasPrefix("HTTP/1.1 200"))
            #expect(page.contains("Content-Security-Policy: default-src 'none'; script-src 'self'"))
            for line in page.split(separator: "\r\n") { #expect(!line.contains(door.token)) }
            #expect(try door.request(path, cookie: "napkin-\(door.port)=00").contains(" 403 "))
            #expect(try door.request(path, cookie: "other=1; \(cookie)").contains(" 200 "))
        }
    }

    @Test func `what another site could send is refused`() async throws {
        try await withDoor { door in
            let (cookie, path) = try door.enter()
            for host in ["evil.example", "127.0.0.1", "127.0.0.1:1", "localhost", ""] {
                #expect(
                    try door.request(path, host: host, cookie: cookie).hasPrefix("HTTP/1.1 421"),
                    "\(host)")
            }
            let own = "127.0.0.1:\(door.port)"
            let twice = try door.request(path, cookie: cookie, ["Host: \(own)"])
            #expect(twice.hasPrefix("HTTP/1.1 4"))
            for header in [
                "Origin: http://evil.example", "Origin: null", "Origin: https://\(own)",
                "Sec-Fetch-Site: cross-site", "Sec-Fetch-Site: same-site",
            ] {
                #expect(
                    try door.request(path, cookie: cookie, [header]).hasPrefix("HTTP/1.1 403"),
                    "\(header)")
            }
            for origin in [nil, "null", "http://evil.example", "http://localhost:\(door.port)"] {
                let answer = try door.request(
                    "\(path)socket?tab=", cookie: cookie, upgrade(origin: origin))
                #expect(!answer.contains(" 101 "), "\(origin ?? "none")")
            }
            let stranger = try door.request("\(path)socket?tab=", upgrade(origin: "http://\(own)"))
            #expect(stranger.hasPrefix("HTTP/1.1 403"))
        }
    }

    @Test func `paths, methods and bodies that no page has are refused`() async throws {
        try await withDoor { door in
            let (cookie, path) = try door.enter()
            for wrong in [
                "/", "/client.js", "/socket?tab=", "\(path)../etc/passwd",
                "\(path)%2e%2e/%2e%2e/etc/passwd", "//etc/passwd", "\(path)client.js/",
                "\(path)client.js?x", "\(path)./", "\(path)socket", "\(path)socket?tab=../..",
                "\(path)socket?tab=\(door.token)G",
                "http://evil.example/", "/?token=\(door.token)&x",
            ] {
                let answer = try door.request(wrong, cookie: cookie)
                #expect(
                    answer.hasPrefix("HTTP/1.1 404") || answer.hasPrefix("HTTP/1.1 403"), "\(wrong)"
                )
            }
            for method in ["POST", "PUT", "DELETE", "OPTIONS", "CONNECT", "TRACE", "BREW"] {
                let answer = try door.request(path, method: method, cookie: cookie)
                #expect(answer.hasPrefix("HTTP/1.1 4"), "\(method)")
            }
            for header in ["Content-Length: 5", "Transfer-Encoding: chunked"] {
                let answer = try door.answer(
                    to: "GET / HTTP/1.1\r\nHost: 127.0.0.1:\(door.port)\r\nCookie: \(cookie)\r\n"
                        + "\(header)\r\n\r\n5\r\nhello\r\n0\r\n\r\n")
                #expect(answer.hasPrefix("HTTP/1.1 4"), "\(header)")
            }
            let both = try door.answer(
                to: "GET / HTTP/1.1\r\nHost: 127.0.0.1:\(door.port)\r\nContent-Length: 4\r\n"
                    + "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET / HTTP/1.1\r\n\r\n")
            #expect(both.hasPrefix("HTTP/1.1 4"))
            #expect(try door.answer(to: "GET / HTTP/1.0\r\n\r\n").hasPrefix("HTTP/1.1 505"))
        }
    }

    @Test func `what is too long, too slow or no HTTP ends its connection alone`() async throws {
        try await withDoor { door in
            let long = String(repeating: "a", count: 20_000)
            #expect(!(try door.request("/", ["X: \(long)"])).contains(" 200 "))
            #expect(!(try door.request("/\(long)")).contains(" 200 "))
            let many = (0..<200).map { "X-\($0): 1" }
            #expect(!(try door.request("/", many)).contains(" 200 "))
            #expect(!(try door.answer(to: "\u{0}\u{1}\u{2}\r\n\r\n")).contains(" 200 "))
            // Nothing at all, and a header that never ends: closed after five seconds.
            let start = ContinuousClock.now
            let silent = RawPeer(descriptor: try door.connect())
            silent.wait(seconds: RawPeer.patienceSeconds)
            #expect(try door.answer(to: "GET / HTTP/1.1\r\nX: ") == "")
            #expect(try silent.readToEnd().isEmpty)
            silent.close()
            #expect(start.duration(to: .now) < .seconds(9))
        }
    }

    @Test func `a page's socket takes what is no message, and ends for what is no frame`()
        async throws
    {
        try await withDoor { door in
            let (cookie, path) = try door.enter()
            let own = "http://127.0.0.1:\(door.port)"
            func open() throws -> RawPeer {
                let peer = RawPeer(descriptor: try door.connect())
                peer.wait(seconds: RawPeer.patienceSeconds)
                let lines =
                    ["GET \(path)socket?tab= HTTP/1.1", "Host: 127.0.0.1:\(door.port)"]
                    + ["Cookie: \(cookie)"] + upgrade(origin: own)
                peer.send(Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8))
                let head = String(decoding: try peer.readExactly(12), as: UTF8.self)
                try Failure.unless(head == "HTTP/1.1 101", head)
                return peer
            }
            func frame(_ text: String, opcode: UInt8 = 0x81) -> [UInt8] {
                [opcode, 0x80 | UInt8(text.utf8.count), 0, 0, 0, 0] + Array(text.utf8)
            }
            let peer = try open()
            for text in ["", "{}", "[[[[", "{\"type\":\"press\",\"number\":1,\"id\":\"nothing\"}"] {
                peer.send(frame(text))
            }
            // An answer to a ping shows that it goes on.
            peer.send(frame("still there", opcode: 0x89))
            var seen: [UInt8] = []
            while !String(decoding: seen, as: UTF8.self).contains("still there") {
                seen += try peer.readExactly(1)
            }
            peer.close()
            // More at once than may wait: the connection ends, or has been fast enough.
            let flood = try open()
            flood.send((0..<1000).flatMap { _ in frame("{}") })
            flood.send(frame("all of it", opcode: 0x89))
            var answer: [UInt8] = []
            while !String(decoding: answer, as: UTF8.self).contains("all of it") {
                guard let more = try? flood.readExactly(1) else { break }  // It has been closed.
                answer += more
            }
            flood.close()
            for bytes: [UInt8] in [
                [0x81, 0xFF, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0],
                [0x81, 0x05, 1, 2, 3, 4, 5], [0x80, 0x80, 0, 0, 0, 0], [0x83, 0x80, 0, 0, 0, 0],
                frame("binary", opcode: 0x82),
            ] {
                let peer = try open()
                peer.send(bytes)
                // Closed, whatever is said before.
                _ = try peer.readToEnd()
                peer.close()
            }
        }
    }
}
