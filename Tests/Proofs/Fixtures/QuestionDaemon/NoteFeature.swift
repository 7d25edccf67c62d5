// NoteFeature: the worker's side of the note.

import NapkinCore

/// What the note tells the desk.
protocol NoteListener: AnyObject, Sendable {
    func noteDidEnd(with outcome: String) async
}

final actor NoteInteractor: PresentableInteractable, NotePresentableListener {
    nonisolated let lifecycle = InteractorLifecycle()
    nonisolated let presenter: any NotePresentable
    private weak var listener: (any NoteListener)?

    init(presenter: any NotePresentable, listener: any NoteListener) {
        self.presenter = presenter
        self.listener = listener
    }

    func didTapBurn() async {
        let outcome = await Outcome.of { try await presenter.confirm("Burn the note?") }
        await listener?.noteDidEnd(with: outcome)
    }
}
