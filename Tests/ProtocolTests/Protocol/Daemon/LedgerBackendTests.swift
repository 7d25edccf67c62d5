// LedgerBackendTests: what `--ledger` means, and what it must not contain.

import Testing

@testable import NapkinProtocol

struct LedgerBackendTests {
    @Test func `a store is named by its kind`() {
        #expect(LedgerBackend(nil) == .files && LedgerBackend("sqlite") == .files)
        #expect(LedgerBackend("postgres:live") == .postgres("live"))
        for word in ["", "postgres", "postgres:", "live", "mysql:live"] {
            #expect(
                LedgerBackend(word) == nil && LedgerBackend.objection(to: word) != nil, "\(word)")
        }
        for word in ["sqlite", "postgres:live"] {
            #expect(LedgerBackend(word)?.description == word)
            #expect(LedgerBackend.objection(to: word) == nil)
        }
    }

    @Test(arguments: [
        ("password-free", false), ("host=h dbname=d", false), ("host=h passfile=f", false),
        ("host=h password=p", true), ("host=h password = p", true),
        ("postgresql://h/d", false), ("postgresql://u@h/d?sslmode=require", false),
        ("postgresql://u:p@h/d", true), ("postgresql://h/d?password=p", true),
        ("postgresql://h:5433/d", false),
    ])
    func `a password is refused, since arguments are seen`(database: String, isRefused: Bool) {
        #expect((LedgerBackend.objection(to: "postgres:\(database)") != nil) == isRefused)
    }
}
