// SettingsTests: what a worker is started with.

import Testing

@testable import CharactersFeature
@testable import CharactersNetworking

@Suite struct SettingsTests {
    private func settings(
        _ environment: [String: String]
    ) -> Result<Settings, Settings.Unusable> {
        Result { () throws(Settings.Unusable) in try Settings { environment[$0] } }
    }

    @Test(arguments: [[:], ["CHARACTERS_SERVER": ""]])
    func `without a word it is this machine`(environment: [String: String]) throws {
        #expect(try settings(environment).get().server == .standard)
    }

    @Test func `the environment says where the server is`() throws {
        let settings = try settings(["CHARACTERS_SERVER": "localhost:99"]).get()
        #expect(settings.server.description == "127.0.0.1:99")
    }

    @Test func `what cannot be used is said`() {
        guard case .failure(let error) = settings(["CHARACTERS_SERVER": "smoke"]) else {
            Issue.record("not refused")
            return
        }
        let words = "CHARACTERS_SERVER: 'smoke' is not a server"
        #expect(error.description.contains(words), "\(error)")
    }

    @Test(arguments: [
        ("127.0.0.1:4110", "127.0.0.1:4110"), ("localhost:80", "127.0.0.1:80"),
        ("http://10.0.0.1:8080/", "10.0.0.1:8080"),
    ])
    func `an address is read`(text: String, address: String) throws {
        #expect(try ServerAddress(text).description == address)
    }

    @Test(arguments: [
        "", "localhost", "localhost:", "localhost:0", "localhost:65536", "a.example:80",
        "127.0.0.1:80:90", "https://127.0.0.1:80", "256.0.0.1:80",
    ])
    func `what is no address is refused by its name`(text: String) {
        #expect(throws: ServerAddress.Malformed(text: text)) { try ServerAddress(text) }
    }
}
