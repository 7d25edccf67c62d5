// CrowdFeature: the worker's side of what many fronts show.

import NapkinCore

final actor CrowdInteractor: PresentableInteractable, CrowdPresentableListener {
    nonisolated let lifecycle = InteractorLifecycle()
    nonisolated let presenter: any CrowdPresentable
    private var offered = 0
    private var compiled = 0

    init(presenter: any CrowdPresentable) {
        self.presenter = presenter
    }

    func didBecomeActive() async {
        await presenter.present(stamp: .now(0))
    }

    func push(_ number: Int) async throws -> Bool {
        await presenter.present(stamp: .now(number))
        return true
    }

    func burst(_ count: Int) async throws -> Bool {
        let stamp = CrowdStamp.now(1)
        for _ in 0..<count { await presenter.flash(stamp) }
        return true
    }

    func build(_ lines: Int) async throws -> Bool {
        for _ in 0..<lines {
            compiled += 1
            await presenter.output(
                "[\(compiled)/200000] Compiling NapkinTransport Sources/NapkinTransport/Loop.swift")
        }
        return true
    }

    func offer(_ count: Int) async throws -> Int {
        var stamp = CrowdStamp.now(0)
        for _ in 0..<count {
            offered += 1
            stamp.number = offered
            await presenter.present(stamp: stamp)
        }
        return stamp.number
    }

    func ping() async throws -> Bool { true }

    func echo(_ text: String) async throws -> String { text }

    func storm(_ count: Int, milliseconds: Int) async throws -> Bool {
        let start = Placement.now()
        let length = UInt64(milliseconds) * 1_000_000
        var presented = 0
        while presented < count {
            let elapsed = min(length, Placement.now() - start)
            let due = Int(Double(count) * Double(elapsed) / Double(length))
            while presented < due {
                presented += 1
                await presenter.present(stamp: .now(presented))
            }
            try await Task.sleep(for: .milliseconds(1))
        }
        return true
    }
}

enum CrowdApp: App {
    static let id = "crowd"
    static let features: [any Feature.Type] = [Crowd.self]

    @MainActor
    static func makeRoot(_ session: SessionContext) async -> any LaunchRouting {
        LaunchRouter(Crowd.self) { view in CrowdInteractor(presenter: view.presenter) }
    }
}
