// KettleViewTests: the view as text, as a terminal shows it.
//
// Layer      tests.
// Isolation  @MainActor.

import KettleContract
import NapkinCore
import NapkinTerminal
import Testing

@testable import KettleFront

@MainActor
struct KettleViewTests {
    @Test func `the screen says whether it heats`() async {
        let view = KettleView(listener: Nobody())
        await view.present(isOn: true)
        let screen = view.render(width: 40, height: 3).map(\.text)
        #expect(screen == ["Kettle", "It heats.", "[s] Switch off"])
    }
}

private actor Nobody: KettlePresentableListener {
    func didTapSwitch() async {}
}
