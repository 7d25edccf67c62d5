// WebAccessControl: decides which requests are answered, and with which response.
//
// Isolation  any thread (Mutex): asked on the server's thread.
// Invariant  nothing is revealed or opened without a cookie, except metrics, for their own token.
//            The address's token is exchanged for a cookie: once, or by each browser if the address
//            is shared. Browsers send a cookie to all ports of a host, but only below its path,
//            which nobody else knows.
//
// A page of another site can make a browser send requests here, and its own host name can lead here
// (DNS rebinding): neither can produce this Host together with this Origin. A link with the token
// may be followed from anywhere.

import NapkinTransport
import Synchronization

package final class WebAccessControl: Sendable {
    package enum Answer: Equatable, Sendable {
        /// Redirects the browser to the page, with a cookie; through a page of this site if the
        /// browser comes from another one.
        case welcomed(cookie: String, path: String, isLed: Bool)
        case file(File)
        /// The metrics, in the requested format.
        case metrics(isOpen: Bool)
        /// Removes the cookie.
        case loggedOut(cookie: String)
        case refused(Refusal, String)
    }

    /// The files of a page.
    package enum File: Equatable, Sendable {
        case page, script, style
        /// The module of an app's own element.
        case element([UInt8])
    }

    /// The refusal's reason, as an HTTP status.
    package enum Refusal: Int, Sendable {
        case badRequest = 400
        case unauthorized = 401
        case forbidden = 403
        case notFound = 404
        case methodNotAllowed = 405
        case contentTooLarge = 413
        case uriTooLong = 414
        case misdirected = 421
        case upgradeRequired = 426
        case headersTooLarge = 431
        case versionNotSupported = 505
    }

    /// A browser that has exchanged the token.
    private struct Browser {
        var cookie: WebSecret
        /// The page's path, with slashes around it; it identifies the browser.
        var path: String
    }

    private struct Secrets {
        /// The token, while it is valid.
        var token: WebSecret?
        /// The browsers, the newest one last.
        var browsers: [Browser] = []
        /// The open tabs, by their browser's path and their name.
        var tabs: [String] = []
    }

    private let secrets: Mutex<Secrets>
    let origin: WebOrigin
    let isShared: Bool
    let metrics: WebMetrics?
    private let scripts: AppScripts
    private let left: @Sendable (_ browser: String, _ token: String?) -> Void

    /// - Parameters:
    ///   - origin: the names under which this server answers.
    ///   - isShared: whether any number of browsers may exchange the token.
    ///   - metrics: the text for programs that collect metrics; `nil` for none.
    ///   - scripts: scripts to serve below a browser's path.
    ///   - left: receives the browser that has logged out, and the next valid token.
    package init(
        token: String, origin: WebOrigin, isShared: Bool = false, metrics: WebMetrics? = nil,
        scripts: AppScripts,
        left: @escaping @Sendable (_ browser: String, _ token: String?) -> Void = { _, _ in }
    ) {
        secrets = Mutex(Secrets(token: WebSecret(token)))
        self.origin = origin
        self.isShared = isShared
        self.metrics = metrics
        self.scripts = scripts
        self.left = left
    }

    package func answer(_ request: WebRequest) -> Answer {
        if let refusal = refusal(of: request) { return refusal }
        if request.target.hasPrefix("/?") {
            guard request.method == "GET", let token = request.token else { return Self.unknown }
            return exchange(token, isLed: request.isOfOtherSite)
        }
        if let metrics, request.target == WebMetrics.path { return metrics.answer(request) }
        guard let (browser, file) = place(of: request) else {
            return .refused(
                .forbidden,
                isShared
                    ? "Open the address that `napkin-client share` has printed."
                    : "Open the address that `napkin-client web` has printed; it is good once.")
        }
        switch file {
        case "logout": return request.method == "POST" ? logOut(browser) : Self.unknown
        case "client.js": return .file(.script)
        case "style.css": return .file(.style)
        case let page where Self.isPage(page): return .file(.page)
        case _ where tab(of: request) != nil:
            return .refused(.upgradeRequired, "This is a page's WebSocket, of version 13.")
        default: return scripts.script(at: file).map { .file(.element($0)) } ?? Self.unknown
        }
    }

    /// Whether a word can be a page's name: the first page's, the inspector's, or the name of an
    /// app and its session.
    private static func isPage(_ name: String) -> Bool {
        ["", "inspector"].contains(name)
            || name.contains("~") && name.wholeMatch(of: #/[A-Za-z0-9_.+@~-]+/#) != nil
    }

    private static let unknown = Answer.refused(.notFound, "There is nothing here.")

    /// Whether a request may become a tab's WebSocket: it must name its origin.
    package func admitsSocket(_ request: WebRequest) -> Bool {
        refusal(of: request) == nil && request.method == "GET" && tab(of: request) != nil
            && request.values(of: "origin").count == 1
    }

    /// Returns the browser, the name of the tab that its page wants back, empty for a new one, and
    /// the page's name.
    package func tab(of request: WebRequest) -> (browser: String, tab: String, page: String)? {
        let start = "socket?tab="
        guard let (browser, file) = place(of: request), file.hasPrefix(start) else { return nil }
        let words = file.dropFirst(start.count).split(
            separator: "&page=", maxSplits: 1, omittingEmptySubsequences: false)
        let (name, page) = (String(words[0]), words.count > 1 ? String(words[1]) : "")
        guard name.wholeMatch(of: #/[0-9a-f]{0,32}/#) != nil, Self.isPage(page) else { return nil }
        return (browser, name, page)
    }

    /// Notes the open tabs, whose browsers stay logged in.
    func keep(_ tabs: some Collection<String>) { secrets.withLock { $0.tabs = Array(tabs) } }

    /// Whether a browser is logged in.
    func knows(_ browser: String) -> Bool {
        secrets.withLock { $0.browsers.contains { $0.path == browser } }
    }

    // MARK: - Refusals

    private func refusal(of request: WebRequest) -> Answer? {
        guard request.isVersion11 else { return .refused(.versionNotSupported, "HTTP/1.1 only.") }
        guard request.target.utf8.count <= WebLimits.targetBytesMax else {
            return .refused(.uriTooLong, "The address is too long.")
        }
        let host = request.values(of: "host")
        guard host.count == 1, origin.hosts.contains(host[0]) else {
            return .refused(.misdirected, "This server is \(origin.hosts[0]).")
        }
        let from = request.values(of: "origin")
        guard from.isEmpty || from == ["\(origin.scheme)://\(host[0])"] else {
            return .refused(.forbidden, "Another site may not ask.")
        }
        guard !request.isOfOtherSite || request.isFollowedLink else {
            return .refused(.forbidden, "Another site may not ask.")
        }
        let isLogOut =
            request.method == "POST" && request.target.hasSuffix("/logout") && !from.isEmpty
        guard ["GET", "HEAD"].contains(request.method) || isLogOut else {
            return .refused(.methodNotAllowed, "GET only.")
        }
        let length = request.values(of: "content-length")
        guard request.values(of: "transfer-encoding").isEmpty, length.allSatisfy({ $0 == "0" })
        else {
            return .refused(.contentTooLarge, "A request has no body.")
        }
        return nil
    }

    // MARK: - Browsers

    private func cookie(_ word: String, _ path: String, _ more: String = "") -> String {
        "\(origin.cookieName)=\(word); Path=\(path); HttpOnly; SameSite=Strict"
            + (origin.isSecure ? "; Secure" : "") + more
    }

    private func exchange(_ token: String, isLed: Bool) -> Answer {
        secrets.withLock { secrets in
            guard let known = secrets.token, known.isEqual(to: token) else {
                return .refused(
                    .forbidden,
                    isShared
                        ? "This address is wrong, or shares nothing any more."
                        : "This address has been used, or is wrong: run `napkin-client web` again.")
            }
            let word = String.randomWord()
            let browser = Browser(cookie: WebSecret(word), path: "/\(String.randomWord())/")
            if !isShared { secrets.token = nil }
            if secrets.browsers.count >= WebLimits.browsersMax {
                // There are fewer tabs than browsers, so one browser has none.
                let idle = secrets.browsers.firstIndex { browser in
                    !secrets.tabs.contains { $0.hasPrefix(browser.path) }
                }
                secrets.browsers.remove(at: idle ?? 0)
            }
            secrets.browsers.append(browser)
            return .welcomed(cookie: cookie(word, browser.path), path: browser.path, isLed: isLed)
        }
    }

    private func logOut(_ browser: String) -> Answer {
        let token = isShared ? nil : String.randomWord()
        secrets.withLock { secrets in
            secrets.browsers.removeAll { $0.path == browser }
            if let token { secrets.token = WebSecret(token) }
        }
        left(browser, token)
        return .loggedOut(cookie: cookie("", browser, "; Max-Age=0"))
    }

    /// Returns the browser and the path below its own; `nil` without its cookie.
    private func place(of request: WebRequest) -> (browser: String, file: String)? {
        let words = request.values(of: "cookie").flatMap { header in
            header.split(separator: ";").map { $0.drop { $0 == " " } }
        }
        return secrets.withLock { secrets in
            let found = secrets.browsers.first { request.target.hasPrefix($0.path) }
            guard let found else { return nil }
            let isKnown = words.contains { word in
                word.hasPrefix("\(origin.cookieName)=")
                    && found.cookie.isEqual(to: String(word.dropFirst(origin.cookieName.count + 1)))
            }
            let file = String(request.target.dropFirst(found.path.count))
            return isKnown ? (found.path, file) : nil
        }
    }
}
