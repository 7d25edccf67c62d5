// Install: the commands that install an app for this user and remove it.
//
// Spec       Protocol/MANIFEST.md

import ArgumentParser
import Glibc
import NapkinFront
import NapkinProtocol
import NapkinTransport

struct Install: ClientCommand {
    static let configuration = CommandConfiguration(
        abstract: "Installs an app for this user, by its manifest.",
        discussion: """
            The manifest is checked and written to napkin/apps in $XDG_DATA_HOME, else in \
            ~/.local/share. A napkind that runs takes it at once, or refuses it, and then nothing \
            is installed. A worker that is already running continues until it ends. Programs \
            without an absolute path are those next to the manifest, or in --bin.

              napkin-client install counter.json --bin .build/release
              napkin-client attach counter
            """)

    @Argument(help: "The manifest, named APP.json.", completion: .file(extensions: ["json"]))
    var manifest: String

    @Option(
        help: ArgumentHelp(
            "Where the manifest's programs are. Default: next to it.", valueName: "dir"),
        completion: .directory)
    var bin: String?

    func perform() async throws(ClientFailure) -> Int32 {
        let name = manifest.split(separator: "/").last.map(String.init) ?? ""
        guard name.hasSuffix(".json"), !name.hasPrefix(".") else {
            throw .usage("\(manifest): name the manifest APP.json")
        }
        guard let text = try FileText.read(manifest) else {
            throw .noInput("\(manifest): there is no such file")
        }
        let directory = try Self.real(bin ?? WholeFile.directory(of: manifest))
        let app: AppManifest
        do throws(AppManifestError) {
            app = try AppManifest(
                Array(text.utf8), named: String(name.dropLast(5)),
                programsIn: directory)
        } catch {
            throw .dataError("\(manifest):\(error.line): \(error.message)")
        }
        for program in [app.worker, app.front].compactMap(\.self) {
            if let objection = ExecutableFile.objection(to: program.path) {
                throw .noInput("\(manifest): \(objection)")
            }
        }
        try Self.checkSocket(of: app)
        let path = try Self.place(of: app.id) { (directory) throws(TransportError) in
            try directory.ensure()
        }
        let former = try FileText.read(path)
        try FileText.write(
            String(decoding: try JSONOutput.text(of: app), as: UTF8.self) + "\n", to: path)
        do throws(ClientFailure) {
            try await Self.checkTaken(app.id, from: path)
        } catch {
            if let former { try FileText.write(former, to: path) } else { unlink(path) }
            throw error
        }
        try StandardOutput.put(PrintableText(lines: ["\(app.id): installed as \(path)"]))
        return 0
    }

    /// Returns once napkind has read the app's manifest there; throws the reason if it refuses. If
    /// no napkind runs, the next one reads the manifest.
    @MainActor
    private static func checkTaken(
        _ app: String, from path: String
    ) async throws(ClientFailure) {
        guard let apps = try await appsTaken() else { return }
        let taken = apps.first { $0.app == app }
        let isThis = taken?.manifest.flatMap(FileIdentity.init(at:)) == FileIdentity(at: path)
        if isThis, taken?.error == nil { return }
        let other = taken.map { "it takes \(app) from \($0.manifest ?? "its own program")" }
        throw .dataError(
            "\(path): napkind refuses it: "
                + (taken?.error ?? other ?? "it runs with another XDG_DATA_HOME or HOME")
                + "; nothing has been installed")
    }

    /// Returns the installed apps as napkind knows them; `nil` if none runs.
    @MainActor
    fileprivate static func appsTaken() async throws(ClientFailure) -> [AppInfo]? {
        do throws(FrontError) {
            let socket = SocketDirectory.napkinDefault.path + "/napkind.sock"
            let daemon = try await DaemonConnection.connect(
                to: DaemonAddress(socket: socket), client: MainCommand.name, role: .tool)
            defer { daemon.close() }
            return try await daemon.query(.apps)
        } catch {
            if error.code == .noDaemon { return nil }
            throw ClientFailure(error)
        }
    }

    /// Checks that the path of a worker's socket is short enough.
    private static func checkSocket(of app: AppManifest) throws(ClientFailure) {
        let number = app.isolation == .shared ? 0 : Isolation.sessionsMax
        let name = WorkerID(app: app.id, number: number).fileName
        _ = try ClientFailure.ofSystem { () throws(TransportError) in
            try SocketPath(
                "\(SocketDirectory.napkinDefault.path)/\(name).sock", option: "a shorter id")
        }
    }

    /// Returns the path without links and dots, so that the manifest means the same everywhere.
    private static func real(_ directory: String) throws(ClientFailure) -> String {
        guard let path = FileText.real(directory) else {
            throw .noInput("\(directory): \(String(cString: strerror(errno)))")
        }
        return path
    }

    /// Returns the path of the user's manifest of an app.
    ///
    /// - Parameter prepare: called with the manifest's directory, which need not exist.
    fileprivate static func place(
        of app: String,
        _ prepare: (SocketDirectory) throws(TransportError) -> Void = { _ in }
    ) throws(ClientFailure) -> String {
        try ClientFailure.ofSystem { () throws(TransportError) in
            let directory = try SocketDirectory.ownManifests()
            try prepare(directory)
            return "\(directory.path)/\(app).json"
        }
    }
}

struct Uninstall: ClientCommand {
    static let configuration = CommandConfiguration(
        abstract: "Removes an app that this user has installed.",
        discussion: """
            Removes its manifest, but neither its programs nor its data. Sessions keep running, \
            and their worker is not restarted; `stop` ends it. Stored sessions are kept and come \
            back if the app is installed again: `kill` unwanted ones first. Programs that its \
            sessions hold go on, and standard error names them; --programs ends them.

              napkin-client kill lunch
              napkin-client uninstall counter
              napkin-client stop counter --force
            """)

    @Argument(help: "The app's name; `napkin-client apps` lists them.", completion: .apps)
    var app: String

    @Flag(help: "End the programs that its sessions hold.")
    var programs = false

    func perform() async throws(ClientFailure) -> Int32 {
        guard Name.isValid(app) else {
            throw .usage("'\(app)' is not a valid app name: \(Name.rule)")
        }
        let path = try Install.place(of: app)
        guard unlink(path) == 0 else {
            guard errno == ENOENT else {
                throw .noPermission("\(path): \(String(cString: strerror(errno)))")
            }
            throw .noInput(
                "this user has not installed '\(app)': there is no \(path); `napkin-client apps` "
                    + "shows where apps come from")
        }
        // The query makes a napkind that does not see file changes reread its manifests.
        _ = try await Install.appsTaken()
        try StandardOutput.put(
            PrintableText(lines: [
                "\(app): removed \(path); its sessions keep running, and "
                    + "`napkin-client stop \(app) --force` ends them; stored sessions are kept and "
                    + "come back if it is installed again"
            ]))
        // Without a home there is no state either.
        let state = try? SocketDirectory.stateDefault().path
        let held = state.map { HeldListing.all(in: $0).filter { $0.app == app } } ?? []
        return await HeldListing.endOrReport(
            held, ending: programs,
            advice: "`napkin-client kill SESSION --programs` ends those of a session")
    }
}
