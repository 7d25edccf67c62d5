// ErrandTests: the feature runs as long as it is attached and not paused.

import NapkinCore
import Testing

@testable import SampleFeature

@MainActor
struct ErrandTests {
    @Test func `it runs while it is active and not paused`() async {
        let interactor = ErrandInteractor()
        await interactor.activate()
        #expect(interactor.isRunning.value)
        await interactor.pause(true)
        #expect(!interactor.isRunning.value)
        await interactor.pause(false)
        #expect(interactor.isRunning.value)
        await interactor.deactivate()
        #expect(!interactor.isRunning.value)
    }
}
