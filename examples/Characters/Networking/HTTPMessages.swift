// HTTPMessages: encodes requests and parses responses.
//
// Layer      networking, sans-I/O: no sockets, clocks or tasks.
// Isolation  value.
// Invariant  a response keeps at most `headBytesMax` and `bodyBytesMax`, whatever is sent.
// Spec       RFC 9112, sections 3 (Request Line), 4 (Status Line), 6 (Message Body)

/// A request to the server.
package struct HTTPRequest: Hashable, Sendable {
    package var method: String
    package var path: String
    /// JSON, if there is any.
    package var body: [UInt8]

    package static func get(_ path: String) -> HTTPRequest {
        HTTPRequest(method: "GET", path: path, body: [])
    }

    package static func post(_ path: String, _ body: [UInt8]) -> HTTPRequest {
        HTTPRequest(method: "POST", path: path, body: body)
    }

    /// One request per connection: the answer ends with it.
    func bytes(for host: String) -> [UInt8] {
        var lines = [
            "\(method) \(path) HTTP/1.1", "Host: \(host)", "Connection: close", "Accept: */*",
        ]
        if !body.isEmpty {
            lines += ["Content-Type: application/json", "Content-Length: \(body.count)"]
        }
        return Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8) + body
    }
}

/// The server's answer.
package struct HTTPResponse: Hashable, Sendable {
    package var status: Int
    package var body: [UInt8]

    package init(status: Int, body: [UInt8]) {
        self.status = status
        self.body = body
    }
}

/// Parses a response's bytes as they come.
package struct HTTPResponseParser {
    /// Bytes of status line and headers. Chosen: what servers commonly allow for a request.
    package static let headBytesMax = 8192
    /// Bytes of a body. Chosen: four of the largest picture.
    package static let bodyBytesMax = 262_144

    /// Why the bytes are not a response.
    package struct Malformed: Error, Equatable, CustomStringConvertible {
        package let description: String
    }

    private enum State {
        case head
        /// The length is `nil` if the body ends with the connection.
        case body(status: Int, length: Int?)
    }

    private var state = State.head
    private var bytes: [UInt8] = []

    package init() {}

    /// Whether nothing has come yet.
    package var isEmpty: Bool {
        if case .head = state { bytes.isEmpty } else { false }
    }

    /// More bytes have come. Returns the response as soon as it is whole.
    package mutating func received(_ more: [UInt8]) throws(Malformed) -> HTTPResponse? {
        bytes += more
        if case .head = state {
            guard let end = headEnd() else {
                guard bytes.count <= Self.headBytesMax else {
                    throw Malformed(description: "its head has over \(Self.headBytesMax) bytes")
                }
                return nil
            }
            state = try Self.parse(head: bytes[..<end])
            bytes.removeFirst(end + 4)
        }
        guard case .body(let status, let length) = state else { return nil }
        guard bytes.count <= Self.bodyBytesMax else { throw Self.tooLong }
        guard let length, bytes.count >= length else { return nil }
        return HTTPResponse(status: status, body: Array(bytes[..<length]))
    }

    /// Nothing more will come.
    package mutating func ended() throws(Malformed) -> HTTPResponse {
        guard case .body(let status, nil) = state else {
            throw Malformed(description: "it ends in the middle")
        }
        return HTTPResponse(status: status, body: bytes)
    }

    private static let tooLong = Malformed(description: "its body has over \(bodyBytesMax) bytes")

    /// Returns where the empty line after the headers begins.
    private func headEnd() -> Int? {
        guard bytes.count >= 4 else { return nil }
        let end = Array("\r\n\r\n".utf8)
        return (0...min(bytes.count - 4, Self.headBytesMax)).first {
            bytes[$0] == end[0] && bytes[$0..<$0 + 4].elementsEqual(end)
        }
    }

    private static func parse(head bytes: ArraySlice<UInt8>) throws(Malformed) -> State {
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw Malformed(description: "its head is no text")
        }
        let lines = text.split(separator: "\r\n", omittingEmptySubsequences: false)
        let words = lines[0].split(separator: " ", maxSplits: 2)
        guard words.count >= 2, words[0].hasPrefix("HTTP/1."), words[1].count == 3,
            let status = Int(words[1]), (100...599).contains(status)
        else { throw Malformed(description: "it does not begin with an HTTP status line") }
        var length: Int?
        for line in lines.dropFirst() {
            guard let colon = line.firstIndex(of: ":") else {
                throw Malformed(description: "it has a header without a colon")
            }
            let value = line[line.index(after: colon)...].drop { $0 == " " || $0 == "\t" }
            switch line[..<colon].lowercased() {
            case "content-length":
                guard let number = Int(value), number >= 0, length == nil || length == number
                else { throw Malformed(description: "its length is no number") }
                guard number <= bodyBytesMax else { throw tooLong }
                length = number
            case "transfer-encoding":
                // A request of version 1.1 allows it, but our own server does not do it.
                throw Malformed(description: "it comes in chunks, which nobody reads here")
            default: break
            }
        }
        return .body(status: status, length: length)
    }
}
