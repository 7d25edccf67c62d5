// SampleScreenTests: the screen as text, as a terminal shows it.

import NapkinCore
import NapkinElements
import NapkinTerminal
import SampleContract
import Testing

@testable import SampleFront

@MainActor
struct SampleScreenTests {
    @Test func `the screen shows the count`() async {
        let model = SampleModel(listener: Nobody())
        await model.present(count: 3)
        let screen = SampleScreen(model: model).render(width: 40, height: 3).map(\.text)
        #expect(screen == ["Sample", "3", "[a] Add"])
    }
}

private actor Nobody: SamplePresentableListener {
    func didTapAdd() async {}
}
