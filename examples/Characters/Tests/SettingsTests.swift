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
        let words = "CHARACTERS_SERVER: 'smoke' is no server"
        #expect(error.description.contains(words), "\(error)")
    }
}
