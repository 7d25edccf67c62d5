// WebAccessFuzz: any request to the access control of a server of pages.
//
// Invariant  nothing but the token's and the cookie's knowledge gets more than a refusal.

import NapkinWeb

@MainActor
enum WebAccessFuzz {
    private static let token = "00112233445566778899aabbccddeeff"
    private static let host = "napkin.test"
    private static let origin = "https://\(host)"

    /// An access control, and what a browser has got there.
    private struct Entered {
        let access: WebAccessControl
        let cookie: String
        let path: String
    }

    /// The shared access control, and the other one: hashing secrets is slow, so that they are
    /// kept.
    private static var entered: [Bool: Entered] = [:]

    private static func enter(isShared: Bool) -> Entered {
        if let known = entered[isShared] { return known }
        guard let names = WebOrigin(origin) else { preconditionFailure("\(origin) is no origin") }
        let access = WebAccessControl(
            token: token, origin: names, isShared: isShared, scripts: AppScripts())
        let request = WebRequest(
            method: "GET", target: "/?token=\(token)", headers: [("Host", host)])
        guard case .welcomed(let header, let path, _) = access.answer(request) else {
            preconditionFailure("the token does not open the page")
        }
        let cookie = String(header.prefix { $0 != ";" })
        let fresh = Entered(access: access, cookie: cookie, path: path)
        entered[isShared] = fresh
        return fresh
    }

    /// The first byte says whether the address is shared. The rest is a head in lines: the method
    /// and the target, then headers. Bytes 1, 2 and 3 stand for the token, the cookie and the path.
    static func run(_ bytes: [UInt8]) {
        guard let first = bytes.first else { return }
        let isShared = first & 1 == 1
        let place = enter(isShared: isShared)
        let words: [UInt8: String] = [1: token, 2: place.cookie, 3: place.path]
        let text = bytes.dropFirst().flatMap { byte in
            words[byte].map { Array($0.utf8) } ?? [byte]
        }
        check(place, request(String(decoding: text, as: UTF8.self)), isShared)
    }

    private static func request(_ text: String) -> WebRequest {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        let start = lines[0].split(separator: " ", maxSplits: 1).map(String.init)
        let headers = lines.dropFirst().map { line in
            let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            let value = parts.count > 1 ? String(parts[1].drop { $0 == " " }) : ""
            return (name: String(parts.first ?? ""), value: value)
        }
        return WebRequest(
            method: start.first ?? "", target: start.count > 1 ? start[1] : "", headers: headers)
    }

    private static func check(_ place: Entered, _ request: WebRequest, _ isShared: Bool) {
        let (access, cookie, path) = (place.access, place.cookie, place.path)
        func values(_ name: String) -> [String] {
            request.headers.filter { $0.name.lowercased() == name }.map(\.value)
        }
        let isOwn =
            values("host") == [host] && values("origin").allSatisfy { $0 == origin }
            && values("sec-fetch-site").allSatisfy { ["none", "same-origin"].contains($0) }
        let isKnown =
            isOwn && request.target.hasPrefix(path)
            && values("cookie").contains { $0.contains(cookie) }
        if access.admitsSocket(request) {
            precondition(isKnown && values("origin") == [origin], "a stranger has a WebSocket")
            precondition(request.method == "GET", "a WebSocket by \(request.method)")
        }
        switch access.answer(request) {
        case .refused: break
        case .welcomed:
            entered[isShared] = nil
            precondition(
                isOwn && isShared && request.target == "/?token=\(token)", "a stranger is let in")
        case .metrics: preconditionFailure("this server answers no scraper")
        case .file:
            precondition(isKnown, "a stranger has a file")
        case .loggedOut:
            entered[isShared] = nil
            precondition(isKnown && request.method == "POST", "a stranger logs out")
            guard case .refused = access.answer(request) else {
                preconditionFailure("a cookie is good after the log-out")
            }
        }
    }
}
