// SampleViewTests: the view as text, as a terminal shows it.
//
// Layer      tests.
// Isolation  @MainActor.

import NapkinCore
import NapkinTerminal
import SampleContract
import Testing

@testable import SampleFront

@MainActor
struct SampleViewTests {
    @Test func `the screen shows the count`() async {
        let view = SampleView(listener: Nobody())
        await view.present(count: 3)
        let screen = view.render(width: 40, height: 3).map(\.text)
        #expect(screen == ["Sample", "3", "[a] Add"])
    }
}

private actor Nobody: SamplePresentableListener {
    func didTapAdd() async {}
}
