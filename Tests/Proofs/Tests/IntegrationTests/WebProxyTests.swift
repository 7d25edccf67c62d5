// WebProxyTests: a page behind a real nginx, with the configuration that the article shows.

import Foundation
import ProofSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct WebProxyTests {
    /// Returns a port, and the descriptor that keeps it: bound, it gets no connection, and only who
    /// asks for that as well, as nginx does with `reuseport`, can listen there.
    private static func reservedPort() throws -> (port: Int, descriptor: Int32) {
        let descriptor = socket(
            AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var isShared: Int32 = 1
        let length = socklen_t(MemoryLayout<Int32>.size)
        let result = setsockopt(descriptor, SOL_SOCKET, SO_REUSEPORT, &isShared, length)
        let bound = PageDoor.withLoopback(0) { bind(descriptor, $0, $1) }
        try Failure.unless(result == 0 && bound == 0, "no port: errno \(errno)")
        return (try PageDoor.port(of: descriptor), descriptor)
    }

    /// The configuration of the article, for another name, port, user and directory.
    private static func configuration(
        in directory: String, port: Int, socket: String
    ) throws -> String {
        let article = Repository.root + "/Sources/Napkin/Napkin.docc/Articles/Web.md"
        let text = try String(contentsOfFile: article, encoding: .utf8)
        let parts = text.components(separatedBy: "```nginx\n")
        try Failure.unless(parts.count == 2, "the article has no configuration of nginx")
        var configuration = parts[1].components(separatedBy: "```")[0]
        let user = getpwuid(geteuid()).map { String(cString: $0.pointee.pw_name) } ?? "nobody"
        var temporary = "pid \(directory)/nginx.pid; error_log stderr notice;\nhttp {"
        for name in ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"] {
            temporary += "\n    \(name)_temp_path \(directory)/\(name);"
        }
        for (shown, own) in [
            ("user desk;", "user \(user) \(Self.group);"), ("http {", temporary),
            ("listen 443 ssl;", "listen 127.0.0.1:\(port) ssl reuseport;"),
            ("/etc/ssl/desk.example.org.pem", "\(directory)/pem"),
            ("/etc/ssl/desk.example.org.key", "\(directory)/key"),
            ("desk.example.org", "napkin.test"), ("/srv/desk/web.sock", socket),
        ] {
            try Failure.unless(configuration.contains(shown), "the article lacks: \(shown)")
            configuration = configuration.replacingOccurrences(of: shown, with: own)
        }
        return configuration
    }

    private static var group: String {
        getgrgid(getegid()).map { String(cString: $0.pointee.gr_name) } ?? ""
    }

    /// A page behind a proxy, and the descriptor that keeps their port.
    private func proxied(
        _ place: Workplace
    ) async throws -> (door: PageDoor, proxy: Child, descriptor: Int32) {
        let directory = place.directory + "/nginx"
        try FileManager.default.createDirectory(
            atPath: directory, withIntermediateDirectories: true)
        let made = try Child(
            "/usr/bin/openssl",
            [
                "req", "-x509", "-nodes", "-newkey", "ec", "-pkeyopt",
                "ec_paramgen_curve:prime256v1", "-days", "2", "-subj", "/CN=napkin.test",
                "-addext", "subjectAltName=DNS:napkin.test", "-keyout", "\(directory)/key",
                "-out", "\(directory)/pem",
            ])
        try Failure.unless(await made.exit() == 0, "no certificate: \(made.errorText)")
        let (port, descriptor) = try Self.reservedPort()
        let door = try await PageDoor(
            place, ["web", Question.app, "--no-open"], origin: "https://napkin.test:\(port)")
        let socket = place.directory + "/pages/web.sock"
        try Self.configuration(in: directory, port: port, socket: socket)
            .write(toFile: "\(directory)/nginx.conf", atomically: true, encoding: .utf8)
        let proxy = try Child(
            "/usr/sbin/nginx",
            ["-p", directory, "-c", "\(directory)/nginx.conf", "-g", "daemon off;", "-e", "stderr"])
        try await proxy.errors { $0.contains("start worker process ") }
        return (door, proxy, descriptor)
    }

    @Test func `a page is driven through nginx, and logged out of`() async throws {
        let place = try await Workplace.questions().started()
        let (door, proxy, descriptor) = try await proxied(place)
        defer { close(descriptor) }
        let socket = place.directory + "/pages/web.sock"
        let attributes = try FileManager.default.attributesOfItem(atPath: socket)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        let front = try await place.front()
        let browser = try Browser(
            place,
            [
                "--ignore-certificate-errors",
                "--host-resolver-rules=MAP napkin.test 127.0.0.1",
            ])
        let page = try await browser.open("\(door.origin)/?token=\(door.token)")
        try await page.holds("document.querySelector('header').className === 'connected'")
        try await page.holds("location.protocol === 'https:' && document.cookie === ''")
        try front.empties()
        try await page.shows("Empty the desk?")
        try await page.click("Yes")
        try await front.showsOutcome("yes")
        try await page.shows("Outcome: \"yes\"")
        let address = try await page.text("location.href")
        try await page.click("Log out")
        try await page.holds("document.querySelector('header').className === 'ended'")
        try await page.shows("logged out")
        try await page.holds(
            "document.getElementById('main').children.length === 0 && !sessionStorage.length")
        try await page.load(address)
        try await page.shows("Open the address that")
        // The command has printed another address.
        let (_, url) = try await door.web.line {
            $0.contains("/?token=") && !$0.contains(door.token)
        }
        try await page.load(url)
        try await page.shows("Outcome: \"yes\"")
        door.web.signal(SIGTERM)
        #expect(await door.web.exit() == 0)
        #expect(!FileManager.default.fileExists(atPath: socket))
        proxy.signal(SIGTERM)
        #expect(await proxy.exit() == 0)
    }

    @Test func `of several that begin on a socket that was left behind, one serves`() async throws {
        let place = try await Workplace.questions().started()
        let command = ["web", Question.app, "--no-open"]
        for _ in 0..<3 {
            let former = try await PageDoor(place, command, origin: "https://napkin.test")
            former.web.signal(SIGKILL)
            _ = await former.web.exit()
            let socket = place.directory + "/pages/web.sock"
            #expect(FileManager.default.fileExists(atPath: socket))
            let all = try (0..<4).map { _ in
                try place.client(command + ["--unix", socket, "--origin", "https://napkin.test"])
            }
            var serving: [Child] = []
            for web in all {
                do {
                    _ = try await web.line { $0.contains("/?token=") }
                    serving.append(web)
                } catch {
                    #expect(await web.allErrors().contains("--unix PATH"))
                    #expect(await web.exit() == 69)
                }
            }
            #expect(serving.count == 1)
            _ = try RawPeer(socket)
            // Between another one's look at the old socket and its own, this one has the path.
            unlink(socket)
            let late = try await place.run(
                command + ["--unix", socket, "--origin", "https://napkin.test"])
            #expect(late.status == 69 && late.errors.contains("serves there"))
            for web in serving {
                web.signal(SIGTERM)
                #expect(await web.exit() == 0)
            }
        }
        let long = place.directory + "/" + String(repeating: "x", count: 120)
        let (_, _, errors) = try await place.run(
            command + ["--unix", long, "--origin", "https://napkin.test"])
        #expect(errors.contains("--unix PATH") && !errors.contains("--socket"))
    }
}
