// TestSessionTests: what a session under test gives its app.

import ConformanceCases
import Foundation
import NapkinCore
import NapkinTesting
import Testing

/// Keeps what it was given.
private enum ReaderApp: App {
    static let id = "reader"
    static let features = ConformanceApp.features
    @MainActor static var given: SessionContext?

    @MainActor
    static func makeRoot(_ session: SessionContext) async -> any LaunchRouting {
        given = session
        return await ConformanceApp.makeRoot(session)
    }
}

@MainActor
@Suite(.serialized) struct TestSessionTests {
    @Test(arguments: TestLink.allCases)
    func `an app under test has directories, which go with the session`(
        link: TestLink
    ) async throws {
        let session = await TestSession.launch(ReaderApp.self, over: link)
        let context = try #require(ReaderApp.given)
        #expect(context.id == session.context.id)
        let directories = [context.dataDirectory, context.cacheDirectory]
        for directory in directories {
            #expect(directory.hasPrefix("/"))
            try Data("kept".utf8).write(to: URL(fileURLWithPath: directory + "/file"))
        }
        await session.restart { await ReaderApp.makeRoot(session.context) }
        #expect(ReaderApp.given?.dataDirectory == context.dataDirectory)
        for directory in directories {
            #expect(FileManager.default.fileExists(atPath: directory + "/file"))
        }
        await session.end()
        for directory in directories {
            #expect(!FileManager.default.fileExists(atPath: directory))
        }
    }

    @Test func `directories of two sessions differ, and go also where nobody ends them`() async {
        var paths: [String] = []
        for _ in 0..<2 {
            let session = await TestSession.launch(ReaderApp.self, over: .direct)
            #expect(FileManager.default.fileExists(atPath: session.context.cacheDirectory))
            paths.append(session.context.cacheDirectory)
        }
        #expect(paths[0] != paths[1])
        for path in paths { #expect(!FileManager.default.fileExists(atPath: path)) }
    }
}
