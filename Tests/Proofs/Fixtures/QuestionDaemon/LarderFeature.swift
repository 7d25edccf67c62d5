// LarderFeature: the worker's side of the larder.

import NapkinCore

final actor LarderInteractor: PresentableInteractable {
    nonisolated let lifecycle = InteractorLifecycle()
    nonisolated let presenter: any LarderPresentable
    private var supplies = [
        Supply(name: "ham", pieces: 3, kind: .meat),
        Supply(name: "鮭 salmon", pieces: 2, kind: .fish),
    ]

    init(presenter: any LarderPresentable) {
        self.presenter = presenter
    }

    func didBecomeActive() async {
        await presenter.present(supplies: supplies)
        await presenter.present(warning: nil)
    }

    private func pieces(of name: String) -> Int32 {
        supplies.first { $0.name == name }?.pieces ?? 0
    }
}

extension LarderInteractor: LarderPresentableListener {
    func didTapRing() async { await presenter.ring(bell: "front door") }

    func didTapSweep() async {
        guard let oldest = supplies.first else { return }
        let outcome: String
        do {
            let fate = try await presenter.chooseFate(of: oldest.name, pieces: oldest.pieces)
            if fate == .discard { supplies.removeFirst() }
            outcome = fate.rawValue
        } catch {
            outcome = "nobody said: \(error)"
        }
        await presenter.present(supplies: supplies)
        await presenter.present(warning: "\(oldest.name): \(outcome)")
    }

    func put(_ supply: Supply, isCold: Bool, note: String?) async throws {
        supplies.append(supply)
        await presenter.present(supplies: supplies)
        await presenter.present(warning: isCold ? note ?? "keep it cold" : note)
    }

    func take(pieces: Int32, of name: String) async throws {
        let known = self.pieces(of: name)
        guard known >= pieces else { throw LarderError.tooFew(known, of: name) }
        for index in supplies.indices where supplies[index].name == name {
            supplies[index].pieces -= pieces
        }
        await presenter.present(supplies: supplies)
    }
}

enum LarderApp: App {
    static let id = "larder"
    static let features: [any Feature.Type] = [Larder.self]

    @MainActor
    static func makeRoot(_ session: SessionContext) async -> any LaunchRouting {
        LaunchRouter(Larder.self, arguments: .init(place: "cellar")) { view in
            LarderInteractor(presenter: view.presenter)
        }
    }
}
