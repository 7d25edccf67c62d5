// DoorTests: which requests are answered, and with what, by their heads alone.

import Testing

@testable import NapkinWeb

@Suite struct DoorTests {
    nonisolated private static let token = "0123"

    private func door(isShared: Bool = false) -> WebDoor {
        WebDoor(
            token: Self.token, origin: .loopback(port: 8080), isShared: isShared,
            scripts: AppScripts())
    }

    private func request(
        _ target: String, _ door: WebDoor, host: String? = nil, method: String = "GET",
        _ headers: [String: String] = [:]
    ) -> WebRequest {
        WebRequest(
            method: method, target: target,
            headers: [("Host", host ?? door.origin.hosts[0])] + headers.map { ($0.key, $0.value) })
    }

    /// Exchanges the token; returns the path and the cookie.
    private func enter(_ door: WebDoor) throws -> (path: String, cookie: String) {
        guard
            case .welcomed(let cookie, let path, false) = door.answer(
                request("/?token=\(Self.token)", door))
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
        let door = door()
        let headers = Self.followed.merging(["Sec-Fetch-Site": site]) { $1 }
        guard
            case .welcomed(_, _, let isLed) = door.answer(
                request("/?token=\(Self.token)", door, headers))
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
        let door = door()
        let headers = Self.followed.merging(more) { $1 }
        guard case .refused = door.answer(request(target, door, method: method, headers)) else {
            Issue.record("\(method) \(target) \(more) is answered")
            return
        }
        // The token is still good.
        #expect(throws: Never.self) { try enter(door) }
    }

    @Test func `a followed link opens no page that is open already`() throws {
        let door = door()
        let (path, cookie) = try enter(door)
        let headers = Self.followed.merging(["Cookie": cookie]) { $1 }
        guard case .refused(.forbidden, _) = door.answer(request(path, door, headers)) else {
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
        let door = door()
        for host in door.origin.hosts {
            #expect(
                door.answer(request("/", door, host: host, ["Origin": "http://\(host)"]))
                    == door.answer(request("/", door)), "\(host)")
        }
        let others = [WebOrigin.loopback(port: 8080).hosts[0], "localhost:8081"]
        for host in others {
            guard case .refused(.misdirected, _) = door.answer(request("/", door, host: host))
            else {
                Issue.record("\(host) is answered")
                continue
            }
        }
    }

    @Test func `who has a tab is not logged out by those who come later`() throws {
        let door = door(isShared: true)
        let guests = try (0..<WebLimits.browsersMax).map { _ in try enter(door) }
        let staying = guests[..<WebLimits.tabsMax]
        door.keep(staying.map { "\($0.path)\(Self.token)" })
        for _ in 0..<2 * WebLimits.browsersMax { _ = try enter(door) }
        let newest = try enter(door)
        for guest in staying + [newest] {
            #expect(
                door.answer(request(guest.path, door, ["Cookie": guest.cookie])) == .file(.page))
        }
        let rest = guests[WebLimits.tabsMax...]
        #expect(rest.allSatisfy { !door.knows($0.path) })
        #expect(WebLimits.tabsMax < WebLimits.browsersMax)
    }

    @Test func `a socket without a handshake of its version is told which one there is`() throws {
        let door = door()
        let (path, cookie) = try enter(door)
        guard
            case .refused(.upgradeRequired, _) = door.answer(
                request("\(path)socket?tab=&page=", door, ["Cookie": cookie]))
        else {
            Issue.record("it is not told")
            return
        }
    }
}
