// InstallTests: what `install` and `uninstall` say is what napkind does.

import Foundation
import ProofSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct InstallTests {
    private let place: Workplace

    init() throws { place = try Self.place() }

    /// A workplace whose napkind is found where a user's is.
    private static func place(in shell: String? = nil) throws -> Workplace {
        let command = try shell.map {
            ["-rm", "/bin/sh", "-c", $0 + #" && exec "$0" "$@""#, try Product.path("napkind")]
        }
        let place = Workplace(
            daemon: shell == nil ? "napkind" : "/usr/bin/unshare", command: command ?? [],
            apps: [], app: "a",
            inDirectory: { ["XDG_DATA_DIRS": $0 + "/shared", "XDG_RUNTIME_DIR": $0] })
        try Failure.unless(mkdir(place.directory + "/napkin", 0o700) == 0, "errno \(errno)")
        let link = place.directory + "/napkin/napkind.sock"
        try Failure.unless(symlink(place.socket, link) == 0, "errno \(errno)")
        return place
    }

    private func installed(_ app: String, _ place: Workplace) -> String {
        "\(place.directory)/data/napkin/apps/\(app).json"
    }

    private func install(
        _ app: String, _ more: String, in place: Workplace
    ) async throws -> (status: Int32, errors: String) {
        let path = "\(place.directory)/\(app).json"
        try Depot.manifest(app, more: more).write(toFile: path, atomically: true, encoding: .utf8)
        let (status, _, errors) = try await run(
            "napkin-client", ["install", path], place.environment)
        return (status, errors)
    }

    private func title(_ app: String, _ place: Workplace) async throws -> String? {
        let (_, lines, _) = try await place.run(["apps", "--json"])
        let listed = try JSON.array(lines.joined()).first { $0["app"] as? String == app }
        return listed?["title"] as? String
    }

    @Test func `what napkind refuses is not installed, and what was there stays`() async throws {
        // Without a napkind it is installed for the next one.
        #expect(try await install("c", #", "title": "C""#, in: place).status == 0)
        #expect(FileManager.default.fileExists(atPath: installed("c", place)))
        try await place.daemon()
        #expect(try await title("c", place) == "C")
        let sessions = #", "sessions": ["main"]"#
        #expect(try await install("a", sessions + #", "title": "A""#, in: place).status == 0)
        #expect(try await title("a", place) == "A")
        for isThere in [false, true] {
            let refused = try await install("b", sessions, in: place)
            #expect(refused.status == 65, "\(refused)")
            #expect(refused.errors.contains("which the app 'a' opens at start"), "\(refused)")
            #expect(refused.errors.contains("nothing has been installed"), "\(refused)")
            #expect(FileManager.default.fileExists(atPath: installed("b", place)) == isThere)
            // The former one comes back.
            if !isThere {
                #expect(try await install("b", #", "title": "B""#, in: place).status == 0)
            }
        }
        #expect(try await title("b", place) == "B")
        try await tellsBoth()
        try await refusesLongPaths()
    }

    @Test(.enabled(if: Namespace.canMount))
    func `an app is there, changed and gone at once, also where nothing can be watched`()
        async throws
    {
        let place = try Self.place(in: "echo 0 > /proc/sys/user/max_inotify_watches")
        try await place.daemon()
        for name in ["First", "Second"] {
            #expect(try await install("till", #", "title": "\#(name)""#, in: place).status == 0)
            #expect(try await title("till", place) == name)
        }
        #expect(
            try await run("napkin-client", ["uninstall", "till"], place.environment).status == 0)
        let refused = try await place.run(["attach", "till", "--control"])
        #expect(refused.status == 66 && refused.errors.contains("no app 'till'"), "\(refused)")
        // Whoever opens a session has looked, too.
        try FileManager.default.copyItem(
            atPath: place.directory + "/till.json", toPath: installed("till", place))
        let attached = try await place.run(["attach", "till", "--control"])
        #expect(attached.status == 0, "\(attached)")
    }

    /// Two files whose names differ in form only are both told: both names are `é` to people and to
    /// Swift, and two files to the kernel.
    private func tellsBoth() async throws {
        let apps = place.directory + "/data/napkin/apps"
        try FileManager.default.createDirectory(
            atPath: apps, withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o755])
        for name in ["\u{E9}", "e\u{301}"] {
            let descriptor = open("\(apps)/\(name).json", O_CREAT | O_WRONLY, 0o644)
            let text = Array(try Depot.manifest(name).utf8)
            #expect(write(descriptor, text, text.count) == text.count)
            close(descriptor)
        }
        let (_, lines, _) = try await place.run(["apps", "--json"])
        let listed = try JSON.array(lines.joined())
        #expect(listed.count == 5, "\(listed)")
        let broken = listed.filter { $0["state"] as? String == "broken" }
        #expect(
            broken.contains { ($0["error"] as? String)?.contains("two files") == true },
            "\(listed)")
    }

    /// An app whose socket's path would be too long is not installed.
    private func refusesLongPaths() async throws {
        let directory = TemporaryDirectory()
        let id = String(repeating: "a", count: 100)
        let manifest = directory("\(id).json")
        try #"{"id": "\#(id)", "worker": {"program": "/bin/true"}}"#
            .write(toFile: manifest, atomically: true, encoding: .utf8)
        let client = try Child(
            Product.path("napkin-client"), ["install", manifest],
            environment: ["XDG_DATA_HOME": directory("data"), "XDG_RUNTIME_DIR": directory.path])
        #expect(await client.exit() == 64)
        let errors = await client.allErrors()
        #expect(errors.contains("at most 107: choose a shorter one with a shorter id"), "\(errors)")
        #expect(!FileManager.default.fileExists(atPath: directory("data")))
    }
}
