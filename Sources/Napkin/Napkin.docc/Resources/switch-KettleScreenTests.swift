// KettleScreenTests: the screen as text, as a terminal shows it.

import KettleContract
import NapkinCore
import NapkinElements
import NapkinTerminal
import Testing

@testable import KettleFront

@MainActor
struct KettleScreenTests {
    @Test func `the screen says whether the kettle is heating`() async {
        let model = KettleModel(listener: Nobody())
        await model.present(isOn: true)
        let screen = KettleScreen(model: model).render(width: 40, height: 3).map(\.text)
        #expect(screen == ["Kettle", "Heating.", "[s] Switch off"])
    }
}

private actor Nobody: KettlePresentableListener {
    func didTapSwitch() async {}
}
