// AppDirectoryTests: directories of manifests that are refused, repaired, and linked to.

import Foundation
import ProofSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct AppDirectoryTests {
    @Test func `a directory is used once it is repaired, and a link of one's own is followed`()
        async throws
    {
        let depot = try await Depot()
        let (above, kept) = (depot.place.directory + "/data", depot.place.directory + "/kept")
        try depot.install(try Depot.manifest())
        try await depot.says("app found")
        // No event tells of what is above it.
        chmod(above, 0o777)
        try await depot.says("everybody may rename it, as \(above)")
        chmod(above, 0o755)
        try await depot.says("app found", times: 2)
        // As a tool for configuration does it.
        mkdir(kept, 0o755)
        #expect(rename(depot.apps, kept + "/apps") == 0)
        #expect(symlink(kept + "/apps", depot.apps) == 0)
        try depot.install(try Depot.manifest(more: #", "title": "Linked""#))
        while try await depot.app()?["title"] as? String != "Linked" {}
        chmod(kept, 0o777)
        try await depot.says("everybody may rename it, as \(kept)")
        chmod(kept, 0o755)
        while try await depot.app()?["title"] as? String != "Linked" {}
        #expect(try await depot.ring().1 == ["1"])
    }
}
