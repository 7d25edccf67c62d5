// DetailTests: the interactor alone, and the view as text.
//
// Layer      tests.
// Isolation  @MainActor.

import NapkinCore
import NapkinTerminal
import NapkinTesting
import SampleContract
import Testing

@testable import SampleFeature
@testable import SampleFront

@MainActor
struct DetailTests {
    @Test func `a tap toggles`() async {
        let view = Recording<Detail>()
        let interactor = DetailInteractor(presenter: view.presenter)
        await interactor.activate()
        await interactor.didTapToggle()
        let states = view.messages.map { message in
            switch message {
            case .present(let isOn): isOn
            }
        }
        #expect(states == [false, true])
        await interactor.deactivate()
    }

    @Test func `the screen says whether it is on`() async {
        let view = DetailView(listener: Nobody())
        await view.present(isOn: true)
        let screen = view.render(width: 80, height: 3).map(\.text)
        #expect(screen == ["Detail", "on", "[t] Toggle Detail"])
    }
}

private actor Nobody: DetailPresentableListener {
    func didTapToggle() async {}
}
