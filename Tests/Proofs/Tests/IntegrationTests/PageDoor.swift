// PageDoor: a server of pages, and what a stranger sends to it byte by byte.

import Foundation
import ProofSupport

/// `napkin-client web` or `share`, on a port or on a socket for a proxy.
struct PageDoor {
    let place: Workplace
    let web: Child
    /// What its address begins with, such as `http://127.0.0.1:8080`.
    let origin: String
    let token: String
    private let socket: String?

    /// The name that a request has as its `Host`.
    var host: String { String(origin.drop { $0 != "/" }.dropFirst(2)) }
    var port: Int { Int(host.split(separator: ":").last ?? "") ?? 0 }
    private var isSecure: Bool { origin.hasPrefix("https") }

    /// Starts it, and returns when it has printed its address.
    ///
    /// - Parameter origin: what a proxy is reached by, for a server on a socket.
    init(
        _ place: Workplace, _ command: [String], origin: String? = nil
    ) async throws {
        let socket = place.directory + "/pages/web.sock"
        let more = origin.map { ["--unix", socket, "--origin", $0] } ?? []
        self.place = place
        self.socket = origin == nil ? nil : socket
        web = try place.client(command + more)
        let (_, url) = try await web.line { $0.contains("/?token=") }
        (self.origin, token) = try Self.parts(of: url)
    }

    static func parts(of url: String) throws -> (origin: String, token: String) {
        let parts = url.split(separator: "/?token=").map(String.init)
        try Failure.unless(parts.count == 2, url)
        return (parts[0], parts[1])
    }

    func connect() throws -> RawPeer {
        if let socket { return try RawPeer(socket) }
        return RawPeer(descriptor: try Self.connect(to: port))
    }

    static func connect(to port: Int) throws -> Int32 {
        let closing = Int32(SOCK_CLOEXEC.rawValue)
        let descriptor = Foundation.socket(AF_INET, Int32(SOCK_STREAM.rawValue) | closing, 0)
        let result = withLoopback(port) { Foundation.connect(descriptor, $0, $1) }
        try Failure.unless(result == 0, "nobody listens at port \(port)")
        return descriptor
    }

    /// Calls a function with the address of a port of 127.0.0.1.
    static func withLoopback<R>(
        _ port: Int, _ body: (UnsafePointer<sockaddr>, socklen_t) -> R
    ) -> R {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }

    /// Returns the port that a socket is bound to.
    static func port(of descriptor: Int32) throws -> Int {
        var address = sockaddr_in()
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let result = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                getsockname(descriptor, $0, &length)
            }
        }
        try Failure.unless(result == 0, "no port: errno \(errno)")
        return Int(in_port_t(bigEndian: address.sin_port))
    }

    // MARK: - Requests

    /// Sends bytes, and returns all that comes until the server closes.
    func answer(to request: String) throws -> String {
        let peer = try connect()
        defer { peer.close() }
        peer.send(Array(request.utf8))
        return String(decoding: try peer.readToEnd(), as: UTF8.self)
    }

    func request(
        _ target: String, method: String = "GET", host: String? = nil, cookie: String? = nil,
        _ more: [String] = []
    ) throws -> String {
        let lines =
            ["\(method) \(target) HTTP/1.1", "Host: \(host ?? self.host)"]
            + (cookie.map { ["Cookie: \($0)"] } ?? []) + more
        return try answer(to: lines.joined(separator: "\r\n") + "\r\n\r\n")
    }

    /// Exchanges the token; returns the cookie, and where the page is.
    func enter(_ token: String? = nil) throws -> (cookie: String, path: String) {
        let answer = try request("/?token=\(token ?? self.token)")
        try Failure.unless(answer.hasPrefix("HTTP/1.1 303"), answer)
        let cookie = Self.header("Set-Cookie", in: answer)
        for word in ["; HttpOnly", "; SameSite=Strict"] + (isSecure ? ["; Secure"] : []) {
            try Failure.unless(cookie.contains(word), cookie)
        }
        return (String(cookie.prefix { $0 != ";" }), Self.header("Location", in: answer))
    }

    static func header(_ name: String, in answer: String) -> String {
        let line = answer.split(separator: "\r\n").first { $0.hasPrefix("\(name): ") }
        return String((line ?? "").dropFirst(name.count + 2))
    }

    func logOut(_ cookie: String, _ path: String) throws -> String {
        try request(
            "\(path)logout", method: "POST", cookie: cookie,
            ["Origin: \(origin)", "Content-Length: 0"])
    }

    // MARK: - WebSockets

    /// What a browser sends to open a WebSocket.
    static func upgrade(origin: String?) -> [String] {
        [
            "Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Version: 13",
            "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==",
        ] + (origin.map { ["Origin: \($0)"] } ?? [])
    }

    /// Opens a tab.
    func open(_ cookie: String, _ path: String, page: String = "") throws -> RawPeer {
        let peer = try connect()
        let lines =
            ["GET \(path)socket?tab=&page=\(page) HTTP/1.1", "Host: \(host)", "Cookie: \(cookie)"]
            + Self.upgrade(origin: origin)
        peer.send(Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8))
        var head = ""
        while !head.hasSuffix("\r\n\r\n") {
            head += String(decoding: try peer.readExactly(1), as: UTF8.self)
        }
        try Failure.unless(head.hasPrefix("HTTP/1.1 101"), head)
        return peer
    }

    /// A frame as a page sends it.
    static func frame(_ text: String, opcode: UInt8 = 0x81) -> [UInt8] {
        [opcode, 0x80 | UInt8(text.utf8.count), 0, 0, 0, 0] + Array(text.utf8)
    }
}

extension RawPeer {
    /// Reads a message of the server; `nil` when it has closed, or says that it will.
    func readMessage() throws -> String? {
        // There is nothing more to read.
        guard let head = try? readExactly(2), head[0] != 0x88 else { return nil }
        var length = Int(head[1])
        if length >= 126 {
            length = try readExactly(length == 126 ? 2 : 8).reduce(0) { $0 << 8 | Int($1) }
        }
        return String(decoding: length == 0 ? [] : try readExactly(length), as: UTF8.self)
    }

    /// Reads messages until one has the words; throws when the server closes before.
    @discardableResult
    func reads(_ words: String) throws -> String {
        var last = ""
        while let message = try readMessage() {
            if message.contains(words) { return message }
            last = message
        }
        throw Failure("the page was not told: \(words); but at last: \(last)")
    }
}
