// TestSessionTests: what a session under test gives its app.

import ConformanceCases
import Foundation
import NapkinCore
import NapkinFront
import NapkinTesting
import Synchronization
import Testing

/// Keeps what it was given.
private enum ReaderApp: App {
    static let id = "reader"
    static let features = ConformanceApp.features
    @MainActor static var given: SessionContext?
    static let pages = Setting("pages", default: 10, in: 1...99)
    static let settings: [any SettingDeclaration] = [pages]

    @MainActor
    static func makeRoot(_ session: SessionContext) async -> any LaunchRouting {
        given = session
        return await ConformanceApp.makeRoot(session)
    }
}

@MainActor
@Suite(.serialized) struct TestSessionTests {
    @Test
    func `an app under test has directories, which go with the session`() async throws {
        let session = await TestSession.launch(ReaderApp.self)
        let context = try #require(ReaderApp.given)
        #expect(context.dataDirectory == session.context.dataDirectory)
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

    @Test
    func `an app under test has the session's clock and the settings of the test`() async throws {
        let plain = await TestSession.launch(ReaderApp.self)
        #expect(ReaderApp.given?.configuration[ReaderApp.pages] == 10)
        await plain.end()
        let session = await TestSession.launch(ReaderApp.self, settings: ["pages": "12"])
        let context = try #require(ReaderApp.given)
        #expect(context.configuration[ReaderApp.pages] == 12)
        session.clock.advance(by: .seconds(3))
        #expect(context.clock.now.offset == .seconds(3))
        await session.end()
    }

    @Test func `an app under test cannot have settings that a daemon refuses`() async {
        await #expect(processExitsWith: .failure) {
            _ = await TestSession.launch(ReaderApp.self, settings: ["pages": "100"])
        }
        await #expect(processExitsWith: .failure) { @MainActor in
            let session = await TestSession.launch(ReaderApp.self)
            _ = session.context.configuration[Setting("unlisted", default: 1)]
        }
    }

    @Test func `a wait in vain ends the tests, and says where it was and what came instead`() async
    {
        let messages = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { @MainActor in
            let view = Recording<Stand>()
            await view.presenter.present(time: 2)
            await WaitLimit.$duration.withValue(.milliseconds(10)) {
                await view.next { message -> Void? in nil }
            }
        }
        let text = String(decoding: messages?.standardErrorContent ?? [], as: UTF8.self)
        #expect(text.contains("TestSessionTests.swift:"))
        #expect(
            text.contains("conformance.stand presented since: [\"presentTime(time: 2)\"]"),
            "\(text)")
        let lines = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let journal = Journal()
            for line in ["one", "two", "three"] { journal.note(line) }
            await journal.next("one")
            await WaitLimit.$duration.withValue(.milliseconds(10)) { await journal.next("four") }
        }
        let journal = String(decoding: lines?.standardErrorContent ?? [], as: UTF8.self)
        #expect(journal.contains("unread lines: [\"two\", \"three\"]"), "\(journal)")
    }

    @Test
    func `a feature that is not listed is named once, with the line to add`() async throws {
        let reports = Mutex<[String]>([])
        let former = Anomaly.onReport { anomaly in
            guard case .unlistedFeature(let feature) = anomaly else { return }
            reports.withLock { $0.append(feature.description) }
        }
        defer { Anomaly.onReport(former) }
        let context = SessionContext(
            name: "test", id: "test", dataDirectory: "/nowhere", cacheDirectory: "/nowhere")
        let session = await TestSession.launch(
            await ConformanceApp.makeRoot(context), features: [Page.self], app: "conformance")
        let line =
            "the feature 'conformance.stand' is not listed: add `Stand.self,` to `features` of "
            + "the app 'conformance'"
        #expect(session.unfinished == [line])
        #expect(reports.withLock { $0 } == [line])
        await #expect(throws: NotQuiescent.self) {
            try await session.expectQuiescent()
        }
        await session.end()
    }

    @Test
    func `who is attached is known at once`() async throws {
        let session = await TestSession.launch(ReaderApp.self)
        #expect(session.context.attachedFronts.isEmpty)
        _ = try await session.attach(ViewRegistry())
        #expect(session.context.attachedFronts.count == 1)
        await session.end()
        #expect(session.context.attachedFronts.isEmpty)
    }

    @Test func `directories of two sessions differ, and go also where nobody ends them`() async {
        var paths: [String] = []
        for _ in 0..<2 {
            let session = await TestSession.launch(ReaderApp.self)
            #expect(FileManager.default.fileExists(atPath: session.context.cacheDirectory))
            paths.append(session.context.cacheDirectory)
        }
        #expect(paths[0] != paths[1])
        for path in paths { #expect(!FileManager.default.fileExists(atPath: path)) }
    }
}
