// CheckupTests: what is said of an app.

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
    }
}
