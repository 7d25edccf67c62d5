// BuildLogTests: a screen that follows a log, and reads what it was not given.

import NapkinCore
import NapkinElements
import NapkinFront
import NapkinTerminal
import NapkinTesting
import Testing

@MainActor
struct BuildLogTests {
    private enum BuildApp: App {
        static let id = "build"
        static let features: [any Feature.Type] = [Build.self]

        @MainActor
        static func makeRoot(_ session: SessionContext) async -> any LaunchRouting {
            let lines = AsyncStream { continuation in
                for number in 1...1500 { continuation.yield("line \(number)") }
                continuation.finish()
            }
            return LaunchRouter(Build.self) { view in
                BuildInteractor(presenter: view.presenter, compiler: lines)
            }
        }
    }

    private func screen(_ view: BuildScreen) -> [String] {
        view.render(width: 20, height: 6).map(\.text).map {
            $0.trimmingSuffix(while: { " │┃".contains($0) })
        }
    }

    @Test
    func `a screen follows its log, and reads what came before`() async throws {
        let session = await TestSession.launch(BuildApp.self)
        let first = RecordingViews().record(Build.self)
        _ = try await session.attach(first)
        await first.newest(Build.self)?.listener?.didTapBuild()
        let registry = RecordingViews()
        var listener: (any BuildPresentableListener)?
        registry.registry.register(Build.self) { context in
            listener = context.listener
            let model = BuildModel(context)
            return (model, BuildScreen(model: model))
        }
        let front = try await session.attach(registry)
        let view = try #require(front.view(of: Build.id, as: BuildScreen.self))
        // Builds nothing more; what was appended has arrived before its reply.
        await listener?.didTapBuild()
        #expect(
            screen(view) == [
                "Built", "[e] Earlier", "line 1497", "line 1498", "line 1499", "line 1500",
            ])
        // 500 lines came before the tail.
        for _ in 1...3 { await view.model.readEarlier() }
        #expect(screen(view)[1] == "line 1496")
        await session.end()
    }
}

extension String {
    fileprivate func trimmingSuffix(while isTrimmed: (Character) -> Bool) -> String {
        var text = self[...]
        while let last = text.last, isTrimmed(last) { text.removeLast() }
        return String(text)
    }
}
