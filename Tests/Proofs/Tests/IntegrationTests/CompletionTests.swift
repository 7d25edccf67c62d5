// CompletionTests: the shells' completions, run by the shells themselves, and the manual pages.

import Foundation
import ProofSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct CompletionTests {
    private let place = Workplace()

    private static let scripts = Repository.root + "/scripts"

    func program(_ name: String) throws -> String {
        let places = ["/bin/", "/usr/bin/", "/usr/local/bin/"]
        guard
            let path = places.map({ $0 + name }).first(where: {
                FileManager.default.isExecutableFile(atPath: $0)
            })
        else { throw Failure("\(name) is missing: run scripts/setup.sh --tests") }
        return path
    }

    /// As `make install` writes them.
    func documents(_ place: Workplace) async throws -> String {
        let products = URL(fileURLWithPath: try Product.path("napkind")).deletingLastPathComponent()
        let share = place.directory + "/share"
        let (status, _, errors) = try await run(
            Self.scripts + "/documents.sh", [products.path, share])
        #expect(status == 0, "\(errors)")
        return share
    }

    /// So that a shell finds the programs that were built.
    func path() throws -> [String: String] {
        let products = URL(fileURLWithPath: try Product.path("napkind")).deletingLastPathComponent()
        // The machine may be busy; a person would press the key again.
        return [
            "PATH": products.path + ":/usr/local/bin:/usr/bin:/bin",
            "NAPKIN_COMPLETION_MILLISECONDS": "5000",
        ]
    }

    /// What bash offers for the last of these words.
    private func bash(_ words: [String], _ share: String) async throws -> [String] {
        let script = """
            source "$1"
            shift
            COMP_WORDS=(napkin-client "$@")
            COMP_CWORD=$#
            COMP_LINE="${COMP_WORDS[*]}"
            COMP_POINT=${#COMP_LINE}
            compopt() { :; }
            _napkin-client napkin-client "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD-1]}"
            printf '%s\\n' "${COMPREPLY[@]}"
            """
        let file = share + "/bash-completion/completions/napkin-client"
        let result = try await run(
            try program("bash"), ["--norc", "--noprofile", "-c", script, "bash", file] + words,
            try path())
        #expect(result.errors == "", "\(result.errors)")
        return result.lines.filter { !$0.isEmpty }
    }

    @Test
    func `bash offers commands, options and the names that there are, and the manual has them all`()
        async throws
    {
        let share = try await documents(place)
        try await offersNothing(share)
        try await place.daemon()
        let front = try await place.front(["--session", "lunch"])
        try await front.mounts(Feature.loggedOut)
        let socket = ["--socket", place.socket]
        #expect(try await bash(["tr"], share) == ["tree", "trace"])
        #expect(try await bash(["tree", "--wa"], share) == ["--watch"])
        // Sessions, and apps.
        let subjects = try await bash(["tree"] + socket + [""], share)
        #expect(Set(subjects).isSuperset(of: ["lunch", "rib-house"]), "\(subjects)")
        #expect(try await bash(["attach"] + socket + ["ri"], share) == ["rib-house"])
        #expect(try await bash(["kill"] + socket + [""], share) == ["lunch"])
        let features = try await bash(["send"] + socket + ["lunch", "rib-house.logged"], share)
        #expect(features == [Feature.loggedIn, Feature.loggedOut])
        let methods = try await bash(["send"] + socket + ["lunch", Feature.loggedOut, ""], share)
        #expect(methods.map { $0.replacing("\\", with: "") } == ["didTapLogin()"])
        #expect(try await bash(["detach"] + socket + ["lunch", ""], share) == ["1"])
        let option = try await bash(
            ["trace"] + socket + ["lunch", "--feature", "rib-house.pit"], share)
        #expect(option == [Feature.pitBoard])
        try await manualIsComplete(share)
    }

    /// Without a daemon nothing is offered, said or started.
    private func offersNothing(_ share: String) async throws {
        // Nobody there; a file that is no socket; a path that cannot be one.
        let file = place.directory + "/file"
        try "x".write(toFile: file, atomically: true, encoding: .utf8)
        let long = place.directory + "/" + String(repeating: "l", count: 120)
        for socket in [place.socket, file, long] {
            #expect(try await bash(["kill", "--socket", socket, ""], share) == [])
        }
        #expect(!FileManager.default.fileExists(atPath: place.socket))
        let mute = place.directory + "/mute.sock"
        let listener = try RawListener(mute) { _ = try $0.readToEnd() }
        // It never answers: that there is an end is the client's own deadline.
        #expect(try await bash(["kill", "--socket", mute, ""], share) == [])
        _ = listener
    }

    // MARK: - Manual

    /// The manual pages are made without a warning, with each command.
    private func manualIsComplete(_ share: String) async throws {
        for page in ["man1/napkin-client.1", "man8/napkind.8"] {
            let path = share + "/man/" + page
            let lint = try await run(try program("mandoc"), ["-T", "lint", path])
            #expect(lint.status == 0 && lint.lines == [], "\(lint.lines)")
            let groff = try await run(
                try program("groff"), ["-man", "-Tutf8", "-ww", "-z", path])
            #expect(groff.status == 0 && groff.errors == "", "\(groff.errors)")
        }
        let page = try String(
            contentsOfFile: share + "/man/man1/napkin-client.1", encoding: .utf8)
        for heading in ["NAME", "SYNOPSIS", "EXIT STATUS", "ENVIRONMENT", "FILES", "SEE ALSO"] {
            #expect(page.contains("\n.SH \(heading)\n"), "\(heading)")
        }
        // What is hidden from people is not told to them.
        #expect(!page.contains("\\fBrelay"))
        for status in [0, 1, 64, 65, 66, 69, 70, 73, 74, 75, 76, 77] {
            #expect(page.contains(".TP\n\\fB\(status)\\fR\n"), "\(status)")
        }
        try await expectSections(in: page)
        // What is no description makes none.
        for text in ["", "{}", "[1]", "{"] {
            let child = try Child(
                Self.scripts + "/manual.py", ["1.0", Self.scripts + "/manual/napkind.8"])
            if !text.isEmpty { try child.write(text) }
            child.closeInput()
            #expect(await child.exit() == 64)
            #expect(await child.allErrors().contains("is no program's description"))
        }
    }

    /// Each command that people are shown has one, or each of its own commands.
    private func expectSections(in page: String) async throws {
        let (_, dump, _) = try await run(
            try Product.path("napkin-client"), ["--experimental-dump-help"])
        func commands(_ command: [String: Any]?) -> [(name: String, object: [String: Any])] {
            (command?["subcommands"] as? [[String: Any]] ?? []).compactMap { command in
                let name = command["commandName"] as? String ?? "help"
                let isShown = command["shouldDisplay"] as? Bool == true && name != "help"
                return isShown ? (name, command) : nil
            }
        }
        let tool = try JSON.object(dump.joined(separator: "\n"))["command"] as? [String: Any]
        #expect(commands(tool).count == 35)
        for (name, command) in commands(tool) {
            let inner = commands(command).map { "\(name) \($0.name)" }
            for name in inner.isEmpty ? [name] : inner {
                let words = name.replacing("-", with: "\\-")
                #expect(page.contains("\n.SS \"napkin\\-client \(words)\"\n"), "\(name)")
            }
        }
    }

    @Test func `an app's program says what it is for, and how it runs alone`() async throws {
        let program = try Product.path("StartWorker")
        let (status, help, _) = try await run(program, ["--help"])
        #expect(status == 0 && help.joined().contains("--in-process"), "\(help)")
        #expect(help.joined().contains("napkin-client attach till"), "\(help)")
        let (_, version, _) = try await run(program, ["--version"])
        #expect(version.first?.hasPrefix("till guest, napkin ") == true, "\(version)")
        let (refused, _, errors) = try await run(program, [])
        #expect(refused == 64 && errors.contains("install the app's manifest"), "\(errors)")
        let worker = ["--worker", "till", "--worker-socket", "x", "--socket", "y"]
        #expect(try await run(program, worker).status == 64)
    }
}
