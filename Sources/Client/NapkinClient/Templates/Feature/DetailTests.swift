// DetailTests: the interactor alone, and the screen as text.

import NapkinCore
import NapkinElements
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
        //@interactor@
        await interactor.activate()
        await interactor.didTapToggle()
        let states = view.messages.map { message in
            switch message {
            case .presentIsOn(let isOn): isOn
            }
        }
        #expect(states == [false, true])
        await interactor.deactivate()
    }
    //@leaving@

    @Test func `the screen says whether it is on`() async {
        let model = DetailModel(listener: Nobody())
        await model.present(isOn: true)
        //@made@
        //@screen@
    }
}

private actor Nobody: DetailPresentableListener {
    func didTapToggle() async {}
    //@nobody@
}
//@end@
