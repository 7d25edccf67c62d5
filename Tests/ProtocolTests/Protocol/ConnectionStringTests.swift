// ConnectionStringTests: which connection strings contain a password, as libpq reads them.

import Testing

@testable import NapkinProtocol

@Suite struct ConnectionStringTests {
    @Test(arguments: [
        "password=x", "host=a password=x", "host = a  password = x", "password='a b'",
        "host='a\\' b' password=x", "dbname=a sslpassword=x", "postgresql://u:p@h/d",
        "postgres://u:p@h", "postgresql://:p@h", "postgresql://h/d?password=x",
        "postgresql://h/d?a=b&pass%77ord=x", "postgresql:///d?sslpassword=x",
        "postgresql://u:p@x@h/d", "host=h password=x application_name=a://b",
    ])
    func `a password is found`(text: String) {
        #expect(LedgerBackend.objection(to: "postgres:" + text)?.contains("password") == true)
    }

    @Test(arguments: [
        "napkin", "password", "host=a passfile=/p", "application_name=nopassword=",
        "host='a password=x' user=b", "host=a\\ password=x", "postgresql://u@h:5432/d",
        "postgresql://h:5432/password=x", "postgresql://h/d?passfile=/p", "postgresql://[::1]:1/d",
        "postgresql://h/d?application_name=password", "",
    ])
    func `what is none is not taken for one`(text: String) {
        #expect(LedgerBackend.objection(to: "postgres:" + text)?.contains("password") != true)
    }
}
