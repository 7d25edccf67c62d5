// TeaTests: the interactor alone, and the screen as text.

import KettleContract
import NapkinCore
import NapkinElements
import NapkinTerminal
import NapkinTesting
import Testing

@testable import KettleFeature
@testable import KettleFront

@MainActor
struct TeaTests {
    @Test func `it tells its parent how much was poured`() async {
        let view = Recording<Tea>()
        let parent = Parent()
        let interactor = TeaInteractor(presenter: view.presenter, listener: parent, cups: 3)
        await interactor.activate()
        await interactor.didTapBack()
        #expect(parent.journal.lines == ["poured 3"])
        await interactor.deactivate()
    }

    @Test func `the screen says how much tea there is`() async {
        let model = TeaModel(listener: Nobody())
        await model.present(sugar: 1)
        let screen = TeaScreen(model: model, arguments: .init(cups: 2))
        #expect(
            screen.render(width: 80, height: 20).map(\.text) == [
                "Tea", "2 cups, 1 sugar", "[g] Sugar", "[b] Back",
            ])
    }
}

private actor Nobody: TeaPresentableListener {
    func didTapSugar() async {}
    func didTapBack() async {}
}

private final class Parent: RecordingListener, TeaListener {
    let journal = Journal()
    func teaDidFinish(poured: Int) async { journal.note("poured \(poured)") }
}
