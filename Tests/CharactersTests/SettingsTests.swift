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

    @Test func `without a word it is this machine, and the user's own cache`() throws {
        let settings = try settings(["HOME": "/mae"]).get()
        #expect(settings.server == .standard)
        #expect(settings.cacheDirectory == "/mae/.cache/napkin-characters")
    }

    @Test func `the environment says where both are`() throws {
        let settings = try settings([
            "CHARACTERS_SERVER": "localhost:99", "XDG_CACHE_HOME": "/var/cache", "HOME": "/h",
        ]).get()
        #expect(settings.server.description == "127.0.0.1:99")
        #expect(settings.cacheDirectory == "/var/cache/napkin-characters")
    }

    @Test(arguments: [
        ([:], "neither XDG_CACHE_HOME nor HOME"),
        (["HOME": ""], "neither XDG_CACHE_HOME nor HOME"),
        (["XDG_CACHE_HOME": "cache"], "not absolute: 'cache'"),
        (["HOME": "/h", "CHARACTERS_SERVER": "smoke"], "CHARACTERS_SERVER: 'smoke' is no server"),
    ])
    func `what cannot be used is said`(environment: [String: String], words: String) {
        guard case .failure(let error) = settings(environment) else {
            Issue.record("not refused: \(environment)")
            return
        }
        #expect(error.description.contains(words), "\(error)")
    }
}
