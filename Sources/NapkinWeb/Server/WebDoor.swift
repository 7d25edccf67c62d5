// WebDoor: which requests are answered, and with what.
//
// Layer      web, server.
// Isolation  any thread (Mutex): asked on the server's thread.
// Invariant  without the cookie nothing is told and nothing is opened; the token of the address is
//            exchanged for it once. Browsers send a cookie to all ports of this machine, but only
//            below its path, which nobody else knows.
//
// A page of another site can have a browser send requests here, and a name of its own can lead
// here (DNS rebinding): neither knows this Host together with this Origin.

import NIOHTTP1
import Synchronization

/// Decides on requests, by their heads alone.
final class WebDoor: Sendable {
    enum Answer: Equatable, Sendable {
        /// Sends the browser to the page, with a cookie.
        case welcomed(cookie: String, path: String)
        case file(type: String, [UInt8])
        case refused(HTTPResponseStatus, String)
    }

    private struct Secrets {
        /// The hash of the token, until it is used.
        var token: WebSecret?
        var cookie: WebSecret?
        /// Where the page is, with slashes around it.
        var path = ""
    }

    private let secrets: Mutex<Secrets>
    private let port: Int
    private var hosts: [String] { ["127.0.0.1:\(port)", "localhost:\(port)"] }
    /// Cookies do not tell ports apart.
    private var cookieName: String { "napkin-\(port)" }

    init(token: String, port: Int) {
        secrets = Mutex(Secrets(token: WebSecret(token)))
        self.port = port
    }

    static let policy =
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
        + "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

    func answer(_ head: HTTPRequestHead) -> Answer {
        if let refusal = refusal(of: head) { return refusal }
        let parts = head.uri.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        if parts[0] == "/", parts.count == 2 {
            guard head.method == .GET, parts[1].hasPrefix("token=") else { return Self.unknown }
            return exchange(String(parts[1].dropFirst("token=".count)))
        }
        guard let file = file(of: head) else {
            return .refused(
                .forbidden,
                "Open the address that `napkin-client web` has printed; it is good once.")
        }
        switch file {
        case "client.js":
            return .file(type: "text/javascript; charset=utf-8", PackageResources.client_js)
        case "style.css":
            return .file(type: "text/css; charset=utf-8", PackageResources.style_css)
        case let page where Self.isPage(page):
            return .file(type: "text/html; charset=utf-8", PackageResources.page_html)
        default:
            guard let script = AppScripts.script(at: file) else { return Self.unknown }
            return .file(type: "text/javascript; charset=utf-8", script)
        }
    }

    /// Whether a word can be a page's name: the first one's, the inspector's, an app's and its
    /// session's.
    private static func isPage(_ name: String) -> Bool {
        let others = "-_.+@~"
        let isName = name.allSatisfy { character in
            character.isASCII
                && (character.isLetter || character.isNumber || others.contains(character))
        }
        return isName && (["", "inspector"].contains(name) || name.contains("~"))
    }

    private static let unknown = Answer.refused(.notFound, "There is nothing here.")

    /// Whether a request may become a tab's WebSocket: it says where it comes from.
    func admitsSocket(_ head: HTTPRequestHead) -> Bool {
        refusal(of: head) == nil && head.method == .GET && tab(of: head) != nil
            && head.headers["Origin"].count == 1
    }

    /// Returns the name of the tab that a page wants back, empty for a new one, and that of the
    /// page.
    func tab(of head: HTTPRequestHead) -> (tab: String, page: String)? {
        let start = "socket?tab="
        guard let file = file(of: head), file.hasPrefix(start) else { return nil }
        let words = file.dropFirst(start.count).split(
            separator: "&page=", maxSplits: 1, omittingEmptySubsequences: false)
        let (name, page) = (String(words[0]), words.count > 1 ? String(words[1]) : "")
        return name.utf8.count <= 32 && name.utf8.allSatisfy(Self.isHexadecimal)
            && Self.isPage(page) ? (name, page) : nil
    }

    private static func isHexadecimal(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
            || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
    }

    // MARK: - Refusals

    private func refusal(of head: HTTPRequestHead) -> Answer? {
        guard head.version == .http1_1 else {
            return .refused(.httpVersionNotSupported, "HTTP/1.1 only.")
        }
        guard head.method == .GET || head.method == .HEAD else {
            return .refused(.methodNotAllowed, "GET only.")
        }
        guard head.uri.utf8.count <= WebLimits.targetBytesMax else {
            return .refused(.uriTooLong, "The address is too long.")
        }
        let host = head.headers["Host"]
        guard host.count == 1, hosts.contains(host[0]) else {
            return .refused(.misdirectedRequest, "This server is 127.0.0.1:\(port).")
        }
        let origin = head.headers["Origin"]
        guard origin.isEmpty || origin == ["http://\(host[0])"] else {
            return .refused(.forbidden, "Another site may not ask.")
        }
        let site = head.headers["Sec-Fetch-Site"]
        guard site.allSatisfy({ $0 == "none" || $0 == "same-origin" }) else {
            return .refused(.forbidden, "Another site may not ask.")
        }
        let length = head.headers["Content-Length"]
        guard head.headers["Transfer-Encoding"].isEmpty, length.allSatisfy({ $0 == "0" }) else {
            return .refused(.payloadTooLarge, "A request has no body.")
        }
        return nil
    }

    private func exchange(_ token: String) -> Answer {
        secrets.withLock { secrets in
            guard let known = secrets.token, known.isHash(of: token) else {
                return .refused(
                    .forbidden,
                    "This address has been used, or is wrong: run `napkin-client web` again.")
            }
            let cookie = WebSecret.word()
            secrets.token = nil
            secrets.cookie = WebSecret(cookie)
            secrets.path = "/\(WebSecret.word())/"
            return .welcomed(
                cookie: "\(cookieName)=\(cookie); Path=\(secrets.path); HttpOnly; SameSite=Strict",
                path: secrets.path)
        }
    }

    /// Returns the name of what is wanted below the page's path; `nil` without the cookie.
    private func file(of head: HTTPRequestHead) -> String? {
        let words = head.headers[canonicalForm: "Cookie"].flatMap { header in
            header.split(separator: ";").map { $0.drop { $0 == " " } }
        }
        return secrets.withLock { secrets in
            guard let cookie = secrets.cookie, head.uri.hasPrefix(secrets.path) else { return nil }
            let isKnown = words.contains { word in
                word.hasPrefix("\(cookieName)=")
                    && cookie.isHash(of: String(word.dropFirst(cookieName.count + 1)))
            }
            return isKnown ? String(head.uri.dropFirst(secrets.path.count)) : nil
        }
    }
}
