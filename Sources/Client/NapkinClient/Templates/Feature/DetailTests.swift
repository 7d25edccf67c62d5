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
    //@toggle@
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
    //@end toggle@
    //@leaving@

    @Test func `the screen as text`() async {
        let model = DetailModel(listener: Nobody())
        //@toggle@
        await model.present(isOn: true)
        //@end toggle@
        //@made@
        //@screen@
    }
}

private actor Nobody: DetailPresentableListener {
    //@toggle@
    func didTapToggle() async {}
    //@end toggle@
    //@nobody@
}
//@end@
