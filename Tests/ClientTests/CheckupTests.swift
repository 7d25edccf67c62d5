// CheckupTests: what is said of an app.

import Glibc
import NapkinProtocol
import Testing

@testable import NapkinClient

@Suite
struct CheckupTests {
    private let welcome = Welcome(version: .current, server: "napkind 0.2.0", pid: 1)

    @Test func `a worker of another napkin is worth a note`() {
        let app = AppInfo(app: "till", state: .running, pid: 7, napkin: "0.1.0")
        let check = Checkup.check(app, welcome)
        #expect(check.verdict == .note)
        #expect(check.finding == "its worker is of napkin 0.1.0, and the daemon is napkind 0.2.0")
        #expect(check.advice?.contains("`napkin-client upgrade till`") == true)
        let other = AppInfo(app: "till", state: .running, pid: 7)
        #expect(Checkup.check(other, welcome).verdict == .fine)
    }

    @Test func `a session that cannot be restored is a problem`() {
        var session = SessionInfo(stored: "lunch", app: "till", pid: 7)
        #expect(Checkup.check(session) == nil)
        session.defect = "cents: field removed"
        let check = Checkup.check(session)
        #expect(check?.verdict == .problem)
        #expect(check?.finding == "it is kept and cannot be restored: cents: field removed")
        #expect(check?.advice?.contains("`napkin-client kill lunch`") == true)
        #expect(check?.advice?.contains("a version of till") == true)
        // No version reads what is damaged.
        session.isDamaged = true
        let advice = Checkup.check(session)?.advice
        #expect(advice?.contains("version") == false && advice?.contains("verify till") == true)
    }

    @Test func `sessions that a new worker has lost are a problem`() {
        var app = AppInfo(app: "till", state: .running, pid: 7)
        #expect(Checkup.loss(of: app) == nil)
        app.lost = ["a", "b"]
        let check = Checkup.loss(of: app)
        #expect(check?.verdict == .problem && check?.subject == "till")
        #expect(check?.finding.hasSuffix("without them: a, b") == true)
        #expect(check?.advice?.contains("`napkin-client restart till`") == true)
        #expect(SessionList([app], []).entries.first?.problem == check?.finding)
    }

    @Test func `a worker that is stopped is continued, and another one may be ended`() {
        let failure = ClientFailure(69, "it has not answered")
        let held = Checkup.check("till", failure, heldAt: 7)
        #expect(held.advice?.contains("`kill -CONT 7`") == true)
        #expect(held.advice?.contains("not ended") == true)
        let busy = Checkup.check("till", failure, heldAt: nil)
        #expect(busy.advice?.contains("`hang`") == true && busy.verdict == .problem)
    }

    @MainActor
    @Test func `a file system that is read-only needs no space`() {
        var disk = statvfs()
        (disk.f_bavail, disk.f_frsize, disk.f_files, disk.f_favail) = (1 << 20, 4096, 10, 5000)
        #expect(LocalChecks.check(disk, at: "/a").verdict == .fine)
        disk.f_favail = 5
        #expect(LocalChecks.check(disk, at: "/a").advice?.contains("free some space") == true)
        disk.f_flag = UInt(ST_RDONLY)
        let check = LocalChecks.check(disk, at: "/a")
        #expect(check.finding == "its file system is read-only")
        #expect(check.advice?.contains("space") == false)
    }

    @MainActor
    @Test(arguments: [(-9, false), (-8, false), (-7, true), (0, true)])
    func `a process at its limit of files is a problem`(files: Int, isProblem: Bool) {
        let limits = """
            Limit                     Soft Limit           Hard Limit           Units
            Max processes             31                   31                   processes
            Max open files            1024                 524288               files
            """
        let check = LocalChecks.check("till", 7, files: 1024 + files, limits)
        #expect((check?.verdict == .problem) == isProblem)
        #expect(LocalChecks.check("till", 7, files: 9999, "Max open files unlimited") == nil)
    }

    @MainActor
    @Test(arguments: [
        ("|/usr/lib/systemd/systemd-coredump %P", "0", 1, Check.Verdict.note),
        ("|/usr/lib/systemd/systemd-coredump %P", "4095", 0, .fine),
        ("|/usr/lib/systemd/systemd-coredump %P", "4096", 1, nil),
        ("|/usr/lib/systemd/systemd-coredump %P", "unlimited", 1, nil),
        ("|/usr/share/apport/apport %p", "0", 1, nil), ("core", "0", 1, nil), ("", "0", 1, nil),
    ])
    func `cores that systemd does not keep are worth a note once a worker has died`(
        pattern: String, limit: String, crashes: Int, verdict: Check.Verdict?
    ) {
        let limits = """
            Limit                     Soft Limit           Hard Limit           Units
            Max core file size        \(limit)                    unlimited            bytes
            Max open files            1024                 524288               files
            """
        let app = AppInfo(app: "till", state: .running, pid: 7, crashes: crashes)
        let check = LocalChecks.check(app, pattern, limits)
        #expect(check?.verdict == verdict)
        #expect(check.map { $0.advice?.contains("restart till") == true } ?? true)
        #expect(LocalChecks.check(app, pattern, "") == nil)
    }

    @Test func `a death is said with its receipt`() {
        var app = AppInfo(app: "till", state: .degraded, crashes: 4, death: "it hung")
        #expect(app.lastDeath == "it hung")
        app.receipt = 12
        let death = "it hung (receipt 12: `napkin-client crash show till 12`)"
        #expect(app.lastDeath == death)
        #expect(Checkup.check(app, welcome).finding == "no more workers are started: \(death)")
        #expect(SessionList([app], []).entries.first?.problem == death)
        app.state = .running
        #expect(Checkup.check(app, welcome).finding.hasSuffix("has died 4 times: \(death)"))
        #expect(SessionList([app], []).entries.first?.problem == nil)
    }
}
