// JobBoardTests: pages of one's own, callers and presence, as an app uses them.

import NapkinCore
import NapkinTesting
import Testing

extension AllLinks {
    @MainActor
    @Suite(.serialized, .timeLimit(.minutes(10)))
    struct JobBoardTests {
        /// A front's views; `isSure` is what it answers.
        private func views(isSure: Bool) -> RecordingViews {
            RecordingViews().record(Browser.self).record(Board.self) { board in
                board.onAsk { _ in isSure }
            }
        }

        private func selected(_ views: RecordingViews) -> String? {
            views.newest(Browser.self)?.newest { message in
                if case .presentSelected(let job) = message { job } else { nil }
            }
        }

        /// Waits for them: a task presents them, whatever event has changed them.
        private func jobs(_ views: RecordingViews, are jobs: [String]) async {
            _ = await views.newest(Board.self)?.next { message -> [String]? in
                if case .presentJobs(jobs) = message { jobs } else { nil }
            }
        }

        private func people(_ views: RecordingViews, are count: Int) async {
            _ = await views.newest(Board.self)?.next { message -> Int? in
                if case .presentPeople(count) = message { count } else { nil }
            }
        }

        @Test
        func `each front looks at a job of its own, and the jobs are everybody's`() async throws {
            let session = await TestSession.launch(BoardApp.self)
            let (ann, ben) = (views(isSure: true), views(isSure: false))
            let first = try await session.attach(ann)
            let second = try await session.attach(ben)
            try await #require(ann.newest(Browser.self)?.listener).didSelect("make")
            try await #require(ben.newest(Browser.self)?.listener).didSelect("test")
            #expect(selected(ann) == "make")
            #expect(selected(ben) == "test")
            await people(ann, are: 2)
            await jobs(ben, are: ["make", "test", "deploy"])
            // Each is asked by itself.
            try await #require(ben.newest(Board.self)?.listener).didTapDelete("make")
            try await #require(ann.newest(Board.self)?.listener).didTapDelete("make")
            try await #require(ben.newest(Board.self)?.listener).didTapDelete("test")
            await jobs(ann, are: ["test", "deploy"])
            await jobs(ben, are: ["test", "deploy"])
            let told = { (views: RecordingViews) in
                views.newest(Board.self)?.messages.contains { message in
                    if case .didDelete = message { true } else { false }
                }
            }
            #expect(told(ann) == true)
            #expect(told(ben) == false)
            await second.detach()
            await people(ann, are: 1)
            await first.detach()
            await session.end()
            try await session.expectQuiescent()
        }

        @Test
        func `a read-only front chooses, and deletes nothing`() async throws {
            let session = await TestSession.launch(BoardApp.self)
            let reader = views(isSure: true)
            let front = try await session.attach(reader, isReadOnly: true)
            let browser = try #require(reader.newest(Browser.self)?.listener)
            await browser.didSelect("deploy")
            await #expect(throws: RemoteFault.self) { try await browser.didTapDelete("deploy") }
            #expect(selected(reader) == "deploy")
            await jobs(reader, are: ["make", "test", "deploy"])
            await front.detach()
            await session.end()
            try await session.expectQuiescent()
        }
    }
}
