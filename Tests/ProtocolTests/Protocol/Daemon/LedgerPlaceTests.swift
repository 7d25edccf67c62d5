// LedgerPlaceTests: what `--ledger` means, and what it must not contain.

import Testing

@testable import NapkinProtocol

struct LedgerPlaceTests {
    @Test func `a store is named by its kind`() {
        #expect(LedgerPlace(nil) == .files && LedgerPlace("sqlite") == .files)
        #expect(LedgerPlace("postgres:live") == .postgres("live"))
        for word in ["", "postgres", "postgres:", "live", "mysql:live"] {
            #expect(LedgerPlace(word) == nil && LedgerPlace.objection(to: word) != nil, "\(word)")
        }
        for word in ["sqlite", "postgres:live"] {
            #expect(LedgerPlace(word)?.description == word)
            #expect(LedgerPlace.objection(to: word) == nil)
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
        #expect((LedgerPlace.objection(to: "postgres:\(database)") != nil) == isRefused)
    }
}
