// LocalChecks: directories, disks, locks and programs of this machine.
//
// Source     statvfs(3), proc_pid_limits(5), loginctl(1)

import Glibc
import NapkinFront
import NapkinProtocol
import NapkinTransport

@MainActor
struct LocalChecks {
    /// Bytes and files that a disk should have left. Chosen: a day's logs and data of some apps.
    private static let freeBytesMin = 128 << 20
    private static let freeFilesMin = 1000

    private(set) var all: [Check] = []
    private let daemon: Checkup.Daemon?
    private let apps: [AppInfo]

    init(
        _ options: DaemonOptions, _ daemon: Checkup.Daemon?, _ apps: [AppInfo]
    ) throws(ClientFailure) {
        (self.daemon, self.apps) = (daemon, apps)
        let path = try options.path()
        let sockets = WholeFile.directory(of: path)
        check(SocketDirectory(path: sockets, policy: options.socket == nil ? .own : .chosen))
        for socket in DirectoryNames.of(sockets, ending: ".sock") ?? [] {
            checkSocket("\(sockets)/\(socket).sock")
        }
        do throws(TransportError) {
            let own = daemon.map { SocketDirectory(path: $0.stateDirectory, policy: .state) }
            let state = if let own { own } else { try SocketDirectory.stateDefault() }
            check(state)
            for path in ["ledger", "log"].map({ "\(state.path)/\($0)" })
            where access(path, F_OK) == 0 {
                check(SocketDirectory(path: path, policy: .state), "what belongs there is not kept")
            }
            checkSpace(state.path)
            // Locks of a daemon at the default socket do not matter to another daemon.
            if daemon != nil || options.socket == nil { checkLocks(state.path, path) }
            checkJournals(state.path + "/ledger")
            let manifests = try SocketDirectory.ownManifests()
            // napkind reports more about an existing directory.
            if access(manifests.path, F_OK) != 0 { check(manifests, "no app can be installed") }
            checkSpace(manifests.path)
        } catch {
            all.append(.problem(error.subject, error.message, do: "set HOME"))
        }
        for app in apps where app.error == nil { checkPrograms(app) }
        if let daemon { checkProgram(of: daemon) }
        let own = daemon.map { [("napkind", $0.pid)] } ?? []
        for (name, pid) in own + apps.flatMap({ app in app.pids.map { (app.app, $0) } }) {
            let files = DirectoryNames.of("/proc/\(pid)/fd")?.count ?? 0
            if let check = Self.check(name, pid, files: files, Self.limits(of: pid)) {
                all.append(check)
            }
        }
        // If it cannot be read, no program receives cores.
        let pattern = (try? FileText.read("/proc/sys/kernel/core_pattern")) ?? ""
        all += apps.compactMap { app in
            app.pids.lazy.compactMap { Self.check(app, pattern, Self.limits(of: $0)) }.first
        }
    }

    /// The kernel's table of a process's limits.
    private static func limits(of pid: Int32) -> String {
        // A process that has just ended has none.
        (try? FileText.read("/proc/\(pid)/limits")) ?? ""
    }

    // MARK: - Directories

    private mutating func check(
        _ directory: SocketDirectory, _ consequence: String = "nothing starts"
    ) {
        var attempt = "it cannot be created: "
        do throws(TransportError) {
            guard try directory.exists() else {
                return all.append(.fine(directory.path, "it is created when needed"))
            }
            attempt = ""
            try directory.check()
            all.append(.fine(directory.path, "nobody else may write to it"))
        } catch {
            all.append(
                .problem(
                    directory.path, attempt + error.message,
                    do: "fix this: until then, \(consequence)"))
        }
    }

    private mutating func checkSpace(_ path: String) {
        var place = path
        while access(place, F_OK) != 0 { place = WholeFile.directory(of: place) }
        var disk = statvfs()
        if statvfs(place, &disk) == 0 { all.append(Self.check(disk, at: place)) }
    }

    static func check(_ disk: statvfs, at place: String) -> Check {
        guard Int(disk.f_flag) & Int(ST_RDONLY) == 0 else {
            return .problem(
                place, "its file system is read-only",
                do: "mount it for writing again: until then, nothing is kept; `dmesg` says whether "
                    + "the disk fails")
        }
        let free = Int(disk.f_bavail) * Int(disk.f_frsize)
        // A file system without a table of files reports zero.
        let isOutOfFiles = disk.f_files > 0 && disk.f_favail < Self.freeFilesMin
        let finding = "\(Quantity.bytes(free)) free" + (isOutOfFiles ? ", and no more files" : "")
        return free < Self.freeBytesMin || isOutOfFiles
            ? .problem(place, finding, do: "free some space: unwritten data may be lost")
            : .fine(place, finding)
    }

    // MARK: - Journals

    /// Reports a worker's journals that were damaged or removed, until somebody has examined them.
    private mutating func checkJournals(_ directory: String) {
        for name in DirectoryNames.of(directory) ?? [] {
            let parts = name.split(separator: ".").map(String.init)
            guard parts.count > 2, parts[parts.count - 2] == "ledger" else { continue }
            let (app, path) = (parts.dropLast(2).joined(separator: "."), "\(directory)/\(name)")
            switch parts.last ?? "" {
            case let end where end.hasPrefix("damaged") && !end.hasSuffix("-wal"):
                all.append(
                    .problem(
                        path,
                        "its log was damaged, and what was stored last is missing in the journal",
                        do: "`napkin-client ledger salvage --file \(path)` saves what this one "
                            + "has; remove it and its -wal when you do not need them any more"))
            case "former":
                all.append(
                    .problem(
                        path, "the journal was replaced while its worker ran; this is the former",
                        do: "`napkin-client ledger salvage --file \(path)` saves its sessions; "
                            + "put it back while `\(app)` is stopped, or remove it"))
            case "rewritten":
                all.append(
                    .problem(
                        path,
                        "the journal's files were removed while its worker ran, which has "
                            + "written all that they had again",
                        do: "find out what removes files there; then remove this one"))
            default: break
            }
        }
    }

    // MARK: - Locks and sockets

    private mutating func checkLocks(_ directory: String, _ socket: String) {
        let workers = apps.flatMap(\.pids)
        for name in DirectoryNames.of(directory, ending: ".lock") ?? [] {
            let path = "\(directory)/\(name).lock"
            guard let holder = ClaimedName.holder(of: path) else { continue }
            if holder == daemon?.pid || workers.contains(holder) {
                all.append(.fine(path, "process \(holder) holds it"))
            } else if daemon == nil, name != "napkind" {
                all.append(
                    .note(
                        path,
                        "process \(holder) keeps running and registers with the next napkind"))
            } else if let other = otherSocket(named: path, than: socket) {
                all.append(
                    .problem(
                        "\(name) (process \(holder))", "it listens on \(other), not on \(socket)",
                        do: "use --socket \(other), or set XDG_RUNTIME_DIR as it is set there"))
            } else {
                all.append(
                    .problem(
                        path, "process \(holder) holds it, but does not answer as \(name)",
                        do: "`kill \(holder)` ends it, `kill -9 \(holder)` at once"))
            }
        }
    }

    /// Returns the socket that a lock names, if it differs and somebody listens there.
    private func otherSocket(named lock: String, than socket: String) -> String? {
        // An unreadable lock names none; neither does a worker's.
        guard let text = try? FileText.read(lock), text != socket,
            // Nobody listens at an invalid path.
            (try? SocketPath(text).probe()) == .alive
        else { return nil }
        return text
    }

    private mutating func checkSocket(_ path: String) {
        do throws(TransportError) {
            if try SocketPath(path).probe() == .stale {
                all.append(.note(path, "nobody listens there; whoever starts next replaces it"))
            }
        } catch {
            all.append(
                .problem(path, error.message, do: "remove it, or give it back to this user"))
        }
    }

    // MARK: - Processes

    /// Files that a process can still open. Chosen: what a few fronts need.
    private static let sparedFiles = 8

    /// Returns a problem if a process has as many files open as it may.
    ///
    /// - Parameter limits: the kernel's table of the process's limits.
    static func check(_ name: String, _ pid: Int32, files count: Int, _ limits: String) -> Check? {
        guard let most = limit("Max open files ", in: limits), count + sparedFiles > most else {
            return nil
        }
        return .problem(
            name, "process \(pid) has \(count) files and sockets open, and may have \(most)",
            do: "close some of its fronts; or start napkind with a higher limit (`ulimit -n`, or "
                + "LimitNOFILE= of its service), and restart the app")
    }

    /// Returns the soft limit of that name; `nil` if there is none.
    private static func limit(_ name: String, in limits: String) -> Int? {
        let line = limits.split(separator: "\n").first { $0.hasPrefix(name) }
        return line?.dropFirst(name.count).split(separator: " ").first.flatMap { Int($0) }
    }

    /// Bytes below which systemd-coredump keeps no core. Source: coredump.c, a page.
    private static let coreBytesMin = 4096

    /// Notes that systemd-coredump keeps no core of an app's workers; worth a note if one has died.
    ///
    /// - Parameter pattern: the kernel's `core_pattern`.
    static func check(_ app: AppInfo, _ pattern: String, _ limits: String) -> Check? {
        guard pattern.hasPrefix("|"), pattern.contains("systemd-coredump"),
            let most = limit("Max core file size ", in: limits), most < coreBytesMin
        else { return nil }
        return Check(
            verdict: app.crashes > 0 ? .note : .fine, subject: app.app,
            finding: "systemd-coredump keeps no core of its workers, which may have \(most) bytes",
            advice: "raise 'core' in 'limits' of its manifest, and LimitCORE= of napkind's service "
                + "if that is lower; then `napkin-client restart \(app.app)`")
    }

    // MARK: - Programs

    private mutating func checkPrograms(_ app: AppInfo) {
        let programs = [workerProgram(of: app), app.front?.first].compactMap(\.self)
        for program in programs {
            guard let objection = ExecutableFile.objection(to: program) else { continue }
            all.append(
                .problem(
                    app.app, objection,
                    do: "install it, or `napkin-client uninstall \(app.app)`"))
        }
    }

    private func workerProgram(of app: AppInfo) -> String? {
        guard let path = app.manifest else { return nil }
        // napkind has already reported the manifest's errors.
        let text = try? FileText.read(path)
        // Here, a manifest with errors names no program.
        return try? AppManifest(Array((text ?? "").utf8), named: app.app).worker.path
    }

    /// Checks that the daemon's program is the installed one, and continues after a log-out.
    private mutating func checkProgram(of daemon: Checkup.Daemon) {
        if ProcessStatus.program(of: daemon.pid)?.hasSuffix(" (deleted)") == true {
            all.append(
                .note(
                    "napkind", "its program has been replaced since it was started",
                    do: "`napkin-client restart napkind` starts the new one; sessions go on"))
        }
        let user = UserName.of(geteuid())
        guard access("/run/systemd/system", F_OK) == 0, geteuid() != 0,
            access("/var/lib/systemd/linger/\(user)", F_OK) != 0
        else { return }
        all.append(
            .note(
                "systemd", "it ends your processes when you log out for the last time",
                do: "`loginctl enable-linger` keeps them"))
    }
}

extension AppInfo {
    /// How its last worker died, and the command that shows more.
    var lastDeath: String? {
        death.map { death in
            let more = receipt.map { " (receipt \($0): `napkin-client crash show \(app) \($0)`)" }
            return death + (more ?? "")
        }
    }

    /// The report about the sessions that it has lost.
    var loss: String? {
        lost.map {
            "stored sessions are not there any more, since its worker found its journal without "
                + "them: " + $0.joined(separator: ", ")
        }
    }

    /// The processes of its workers.
    var pids: [Int32] { ([pid] + (workers ?? []).map(\.pid)).compactMap(\.self) }
}
