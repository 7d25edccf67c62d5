// RefusedTextTests: what has been written comes back into its field if its event is refused.

import NapkinCore
import Testing

@testable import NapkinElements

@Observable private final class Desk: RefusalShowing {
    let listener = "desk"
    var refusal: String?
}

@Suite struct RefusedTextTests {
    private struct Refused: Error {}

    @Test func `a text that is refused comes back, unless another has been written by then`() async
    {
        let (desk, text) = (Desk(), Kept("ribs"))
        for (isRefused, written, left) in [
            (true, "", "ribs"), (true, "links", "links"), (false, "", ""),
        ] {
            text.value = "ribs"
            await desk.dispatch(emptying: text.binding) { listener, order in
                #expect(listener == "desk" && order == "ribs" && text.value.isEmpty)
                text.value = written
                if isRefused { throw Refused() }
            }.value
            #expect(text.value == left)
            #expect((desk.refusal != nil) == isRefused)
        }
    }
}
