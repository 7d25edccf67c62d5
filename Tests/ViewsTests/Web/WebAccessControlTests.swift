// WebAccessControlTests: which requests are answered, and with what, by their heads alone.

import Testing

@testable import NapkinWeb

@Suite struct WebAccessControlTests {
    nonisolated private static let token = "0123"

    /// A port of this machine, and what a proxy is reached by.
    nonisolated private static let origins =
        [.loopback(port: 8080)]
        + ["https://napkin.test", "https://napkin.test:8443"].compactMap { WebOrigin($0) }

    private func access(
        _ origin: WebOrigin = .loopback(port: 8080), isShared: Bool = false
    ) -> WebAccessControl {
        WebAccessControl(
            token: Self.token, origin: origin, isShared: isShared, scripts: AppScripts())
    }

    private func request(
        _ target: String, _ access: WebAccessControl, host: String? = nil, method: String = "GET",
        _ headers: [String: String] = [:]
    ) -> WebRequest {
        WebRequest(
            method: method, target: target,
            headers: [("Host", host ?? access.origin.hosts[0])] + headers.map { ($0.key, $0.value) }
        )
    }

    /// Exchanges the token; returns the path and the cookie.
    private func enter(_ access: WebAccessControl) throws -> (path: String, cookie: String) {
        guard
            case .welcomed(let cookie, let path, false) = access.answer(
                request("/?token=\(Self.token)", access))
        else { throw Refused() }
        return (path, String(cookie.prefix { $0 != ";" }))
    }

    private struct Refused: Error {}

    /// What a browser says of a link that a person follows on a page of another site.
    private static let followed = [
        "Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate",
        "Sec-Fetch-Dest": "document", "Sec-Fetch-User": "?1",
    ]

    @Test(arguments: ["cross-site", "same-site", "none"])
    func `an address with a good token may be followed from anywhere`(site: String) {
        let access = access()
        let headers = Self.followed.merging(["Sec-Fetch-Site": site]) { $1 }
        guard
            case .welcomed(_, _, let isLed) = access.answer(
                request("/?token=\(Self.token)", access, headers))
        else {
            Issue.record("a followed link is refused")
            return
        }
        // A strict cookie does not travel with a redirect that began elsewhere.
        #expect(isLed == (site != "none"))
    }

    @Test(arguments: [
        ("/?token=\(token)x", "GET", [:]), ("/?x=\(token)", "GET", [:]), ("/", "GET", [:]),
        ("/?token=\(token)", "HEAD", [:]), ("/?token=\(token)", "POST", [:]),
        ("/?token=\(token)", "GET", ["Sec-Fetch-Mode": "no-cors"]),
        ("/?token=\(token)", "GET", ["Sec-Fetch-Dest": "iframe"]),
        ("/?token=\(token)", "GET", ["Origin": "http://evil.example"]),
    ])
    func `nothing else of another site is answered`(
        target: String, method: String, more: [String: String]
    ) {
        let access = access()
        let headers = Self.followed.merging(more) { $1 }
        guard case .refused = access.answer(request(target, access, method: method, headers)) else {
            Issue.record("\(method) \(target) \(more) is answered")
            return
        }
        // The token is still good.
        #expect(throws: Never.self) { try enter(access) }
    }

    /// Whether a request is refused for one of these reasons.
    private func expectRefused(
        _ access: WebAccessControl, _ request: WebRequest, _ reasons: WebAccessControl.Refusal...,
        at location: SourceLocation = #_sourceLocation
    ) {
        let what = "\(request.method) \(request.target) \(request.headers)"
        guard case .refused(let reason, _) = access.answer(request) else {
            Issue.record("it is answered: \(what)", sourceLocation: location)
            return
        }
        #expect(reasons.contains(reason), "\(what)", sourceLocation: location)
    }

    @Test(arguments: origins)
    func `a token opens the page once, and its cookie after that`(origin: WebOrigin) throws {
        let access = access(origin)
        for target in ["/", "/?token=", "/?token=\(Self.token)x"] {
            expectRefused(access, request(target, access), .forbidden)
        }
        expectRefused(access, request("/?token=\(Self.token)", access, method: "HEAD"), .notFound)
        let (path, cookie) = try enter(access)
        expectRefused(access, request("/?token=\(Self.token)", access), .forbidden)
        for cookies in [cookie, "other=1; \(cookie)"] {
            #expect(access.answer(request(path, access, ["Cookie": cookies])) == .file(.page))
        }
        for cookies in ["\(origin.cookieName)=00", "other=1"] {
            expectRefused(access, request(path, access, ["Cookie": cookies]), .forbidden)
        }
    }

    @Test(arguments: origins)
    func `what another site could send is refused`(origin: WebOrigin) throws {
        let access = access(origin)
        let (path, cookie) = try enter(access)
        for host in ["evil.example", "127.0.0.1", "127.0.0.1:1", "localhost", "napkin.test:1", ""] {
            expectRefused(
                access, request(path, access, host: host, ["Cookie": cookie]), .misdirected)
        }
        var twice = request(path, access, ["Cookie": cookie])
        twice.headers.append(("Host", origin.hosts[0]))
        expectRefused(access, twice, .misdirected)
        let own = "\(origin.scheme)://\(origin.hosts[0])"
        let scheme = origin.isSecure ? "http" : "https"
        for (name, value) in [
            ("Origin", "http://evil.example"), ("Origin", "null"),
            ("Origin", "\(scheme)://\(origin.hosts[0])"), ("Origin", "\(own).evil.example"),
            ("Sec-Fetch-Site", "cross-site"), ("Sec-Fetch-Site", "same-site"),
        ] {
            expectRefused(
                access, request(path, access, ["Cookie": cookie, name: value]), .forbidden)
        }
        let tab = "\(path)socket?tab="
        for from in ["null", "http://evil.example", "http://localhost:8080"] {
            let socket = request(tab, access, ["Cookie": cookie, "Origin": from])
            #expect(!access.admitsSocket(socket), "\(from)")
        }
        #expect(!access.admitsSocket(request(tab, access, ["Cookie": cookie])))
        #expect(!access.admitsSocket(request(tab, access, ["Origin": own])))
        #expect(access.admitsSocket(request(tab, access, ["Cookie": cookie, "Origin": own])))
    }

    @Test(arguments: origins)
    func `paths, methods and bodies that no page has are refused`(origin: WebOrigin) throws {
        let access = access(origin)
        let (path, cookie) = try enter(access)
        for target in [
            "/", "/client.js", "/socket?tab=", "\(path)../etc/passwd",
            "\(path)%2e%2e/%2e%2e/etc/passwd", "//etc/passwd", "\(path)client.js/",
            "\(path)client.js?x", "\(path)./", "\(path)socket", "\(path)socket?tab=../..",
            "\(path)socket?tab=\(Self.token)G", "\(path)logout", "http://evil.example/",
            "/?token=\(Self.token)&x",
        ] {
            expectRefused(
                access, request(target, access, ["Cookie": cookie]), .notFound, .forbidden)
        }
        for method in ["POST", "PUT", "DELETE", "OPTIONS", "CONNECT", "TRACE", "BREW"] {
            expectRefused(
                access, request(path, access, method: method, ["Cookie": cookie]), .methodNotAllowed
            )
        }
        for (name, value) in [("Content-Length", "5"), ("Transfer-Encoding", "chunked")] {
            expectRefused(
                access, request(path, access, ["Cookie": cookie, name: value]), .contentTooLarge)
        }
        var older = request(path, access, ["Cookie": cookie])
        older.isVersion11 = false
        expectRefused(access, older, .versionNotSupported)
    }

    @Test(arguments: origins)
    func `a page logs out, and nobody else does that for it`(origin: WebOrigin) throws {
        let access = access(origin)
        let (path, cookie) = try enter(access)
        let (out, own) = ("\(path)logout", "\(origin.scheme)://\(origin.hosts[0])")
        let wrong: [(method: String, headers: [String: String])] = [
            ("POST", ["Cookie": cookie]), ("POST", ["Cookie": cookie, "Origin": "null"]),
            ("POST", ["Cookie": cookie, "Origin": "http://evil.example"]),
            ("GET", ["Cookie": cookie, "Origin": own]),
            ("POST", ["Cookie": "\(origin.cookieName)=00", "Origin": own]),
            ("POST", ["Cookie": cookie, "Origin": own, "Content-Length": "5"]),
            ("POST", ["Cookie": cookie, "Origin": own, "Sec-Fetch-Site": "cross-site"]),
        ]
        for (method, headers) in wrong {
            expectRefused(
                access, request(out, access, method: method, headers), .methodNotAllowed,
                .forbidden,
                .notFound, .contentTooLarge)
        }
        let right = ["Cookie": cookie, "Origin": own, "Content-Length": "0"]
        guard case .loggedOut(let gone) = access.answer(request(out, access, method: "POST", right))
        else { throw Refused() }
        #expect(gone.contains("; Max-Age=0"))
        for target in [path, "\(path)client.js", out, "\(path)socket?tab="] {
            expectRefused(access, request(target, access, ["Cookie": cookie]), .forbidden)
        }
        expectRefused(access, request(out, access, method: "POST", right), .forbidden)
    }

    @Test func `a followed link opens no page that is open already`() throws {
        let access = access()
        let (path, cookie) = try enter(access)
        let headers = Self.followed.merging(["Cookie": cookie]) { $1 }
        guard case .refused(.forbidden, _) = access.answer(request(path, access, headers)) else {
            Issue.record("another site opens the page")
            return
        }
    }

    @Test func `each run has a name that no other has, beside those of this machine`() {
        let names = (0..<3).map { _ in WebOrigin.loopback(port: 8080).hosts }
        #expect(Set(names.map { $0[0] }).count == 3)
        for hosts in names {
            #expect(hosts[0].wholeMatch(of: /[0-9a-f]{16}\.localhost:8080/) != nil)
            #expect(hosts.dropFirst() == ["127.0.0.1:8080", "localhost:8080"])
        }
        let access = access()
        for host in access.origin.hosts {
            #expect(
                access.answer(request("/", access, host: host, ["Origin": "http://\(host)"]))
                    == access.answer(request("/", access)), "\(host)")
        }
        let others = [WebOrigin.loopback(port: 8080).hosts[0], "localhost:8081"]
        for host in others {
            guard case .refused(.misdirected, _) = access.answer(request("/", access, host: host))
            else {
                Issue.record("\(host) is answered")
                continue
            }
        }
    }

    @Test func `who has a tab is not logged out by those who come later`() throws {
        let access = access(isShared: true)
        let guests = try (0..<WebLimits.browsersMax).map { _ in try enter(access) }
        let staying = guests[..<WebLimits.tabsMax]
        access.keep(staying.map { "\($0.path)\(Self.token)" })
        for _ in 0..<2 * WebLimits.browsersMax { _ = try enter(access) }
        let newest = try enter(access)
        for guest in staying + [newest] {
            #expect(
                access.answer(request(guest.path, access, ["Cookie": guest.cookie])) == .file(.page)
            )
        }
        let rest = guests[WebLimits.tabsMax...]
        #expect(rest.allSatisfy { !access.knows($0.path) })
        #expect(WebLimits.tabsMax < WebLimits.browsersMax)
    }

    @Test func `a socket without a handshake of its version is told which one there is`() throws {
        let access = access()
        let (path, cookie) = try enter(access)
        guard
            case .refused(.upgradeRequired, _) = access.answer(
                request("\(path)socket?tab=&page=", access, ["Cookie": cookie]))
        else {
            Issue.record("it is not told")
            return
        }
    }

    // MARK: - Metrics

    private func answer(
        _ headers: [String: String], _ target: String = "/metrics"
    ) -> WebAccessControl.Answer {
        let access = WebAccessControl(
            token: Self.token, origin: .loopback(port: 8080),
            metrics: WebMetrics(token: "secret") { _ in "" }, scripts: AppScripts())
        return access.answer(request(target, access, headers))
    }

    @Test func `metrics are for whoever has their token, in the format that is asked for`() {
        #expect(answer(["Authorization": "Bearer secret"]) == .metrics(isOpen: false))
        #expect(
            answer([
                "authorization": "bearer secret",
                "Accept": "application/openmetrics-text;version=1.0.0,text/plain;q=0.5",
            ]) == .metrics(isOpen: true))
        let wrong = [
            [:], ["Authorization": "Bearer secre"], ["Authorization": "Bearer \(Self.token)"],
            ["Authorization": "Basic secret"], ["Cookie": "secret"],
            ["Authorization": "Bearer secret", "Origin": "http://evil.example"],
            ["Authorization": "Bearer secret", "Sec-Fetch-Site": "cross-site"],
        ]
        for headers in wrong {
            guard case .refused = answer(headers) else {
                Issue.record("\(headers) is answered")
                continue
            }
        }
        guard case .refused(.unauthorized, _) = answer([:]) else {
            Issue.record("who has no token is not told so")
            return
        }
        // The token opens no page, and where no metrics are served there are none.
        #expect(answer(["Authorization": "Bearer secret"], "/") != .metrics(isOpen: false))
        let none = access()
        guard case .refused(.forbidden, _) = none.answer(request("/metrics", none)) else {
            Issue.record("/metrics is answered without an option")
            return
        }
    }

    nonisolated private static let addresses: [(String, String?)] = [
        ("http://127.0.0.1:4318", "127.0.0.1:4318"), ("http://desk", "desk:4318"),
        ("http://desk:80/a/b/", "desk:80"), ("http://[::1]:9", "[::1]:9"), ("https://desk", nil),
        ("http://", nil), ("http://desk:0", nil), ("http://desk:x", nil), ("http://u@desk", nil),
        ("http://desk/?a", nil), ("http://de sk", nil), ("desk:4318", nil),
        ("http://[::1]x", nil),
    ]

    @Test(arguments: addresses)
    func `an address is a host, a port and a path`(text: String, authority: String?) {
        let address = HTTPAddress(text, port: 4318)
        #expect(address?.authority == authority)
        if text.contains("/a/b") { #expect(address?.path == "/a/b") }
    }
}
