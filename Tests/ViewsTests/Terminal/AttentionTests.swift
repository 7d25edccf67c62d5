// AttentionTests: what calls for somebody, how often, and in which bytes.

import NapkinCore
import Observation
import Testing

@testable import NapkinElements
@testable import NapkinTerminal

/// A dish that somebody has to look at.
private struct Dish: Identifiable {
    let id: Int
    let name: String
}

@Observable
private final class PassModel {
    var dishes: [Dish] = []
}

@Suite struct AttentionTests {
    private let stage = Stage()
    private let pass = PassModel()
    private let rung = Kept<[String]>([])

    init() { stage.session.ring = { [rung] in rung.value.append($0) } }

    private func mount(inBanner: Bool = false) {
        stage.mounted.mount(
            "a.pass",
            view: Made { [pass] in
                if inBanner {
                    Text("pass").banner {
                        Text("\(pass.dishes.count)").attention(to: pass.dishes, text: \.name)
                    }
                } else {
                    Text("pass").attention(to: pass.dishes, text: \.name)
                }
            })
    }

    @Test func `each item is heard once, also when another worker shows it`() {
        mount()
        stage.draw()
        #expect(rung.value == [])
        pass.dishes = [Dish(id: 1, name: "Ribs")]
        stage.draw()
        stage.draw()
        #expect(rung.value == ["Ribs"])
        pass.dishes.append(Dish(id: 2, name: "Ribs"))
        stage.draw()
        #expect(rung.value == ["Ribs", "Ribs"])
        // The next worker's view begins with nothing.
        let dishes = pass.dishes
        pass.dishes = []
        stage.session.epochChanged()
        stage.mounted.replaceAll { mount() }
        stage.draw()
        pass.dishes = dishes + [Dish(id: 3, name: "Pork")]
        stage.draw()
        #expect(rung.value == ["Ribs", "Ribs", "Pork"])
    }

    @Test func `what was heard long ago is forgotten`() {
        var memory = CallMemory()
        let calls = (0...CallMemory.heardMax + 1).map { PageCall(id: $0, text: "\($0)") }
        // However many there are, each is heard once while it is there.
        for count in [calls.count, 0] { #expect(memory.hear(calls).count == count) }
        #expect(memory.hear(nil) == [] && memory.hear([]) == [])
        // The first one was as many calls ago as are remembered, and one.
        #expect(memory.hear([calls[calls.count - 1]]) == [])
        #expect(memory.hear([calls[1]]) == [])
        #expect(memory.hear([calls[0]]) == ["0"])
    }

    @Test(arguments: [false, true])
    func `a view that is covered is not heard, and its banner is`(inBanner: Bool) {
        mount(inBanner: inBanner)
        stage.mounted.mount("a.over", in: 1, "push", view: Words("over"))
        stage.draw()
        pass.dishes = [Dish(id: 1, name: "Ribs")]
        stage.draw()
        #expect(rung.value == (inBanner ? ["Ribs"] : []))
        stage.mounted.unmount(2)
        stage.draw()
        #expect(rung.value == ["Ribs"])
    }

    @Test func `a page counts what calls, and knows whether anything ever does`() {
        let page = StandalonePage(
            Made { [pass] in
                Text("pass").attention(to: pass.dishes, text: \.name)
                    .banner { Text("!").attention(to: pass.dishes, text: \.name) }
            })
        #expect(page.compose().calls == [])
        pass.dishes = [Dish(id: 1, name: "Ribs")]
        #expect(page.compose().calls?.map(\.text) == ["Ribs", "Ribs"])
        #expect(StandalonePage(Text("nothing")).compose().calls == nil)
    }

    @Test func `a terminal gets what its front asks for, and no control character of a text`() {
        func bytes(_ bell: TerminalBell, _ text: String = "Go?", inTmux: Bool = false) -> String {
            bell.bytes(for: text, of: "desk", inTmux: inTmux)
        }
        #expect(bytes(.off) == "")
        #expect(bytes(.bell) == "\u{7}" && bytes(.bell, inTmux: true) == "\u{7}")
        #expect(bytes(.osc9) == "\u{7}\u{1B}]9;desk: Go?\u{7}")
        #expect(bytes(.osc777) == "\u{7}\u{1B}]777;notify;desk;Go?\u{7}")
        #expect(
            bytes(.osc9, inTmux: true)
                == "\u{7}\u{1B}Ptmux;\u{1B}\u{1B}]9;desk: Go?\u{7}\u{1B}\\")
        let hostile = bytes(.osc777, "a\u{7}\u{1B}\\\n\u{9C}\u{9B}b")
        let controls = hostile.unicodeScalars.filter { $0.properties.generalCategory == .control }
        #expect(controls.map(\.value) == [7, 0x1B, 7])
        let long = bytes(.osc9, String(repeating: "x", count: 10_000))
        #expect(long.utf8.count == TerminalBell.textMax + 12)
    }

    @Test func `the environment chooses the bell, and a mistake says what there is`() throws {
        func component(_ value: String?) -> TerminalComponent {
            TerminalComponent(environment: { $0 == "NAPKIN_BELL" ? value : nil })
        }
        #expect(try component(nil).bell() == .bell && component("").bell() == .bell)
        for bell in TerminalBell.allCases {
            #expect(try component(bell.rawValue).bell() == bell)
        }
        let error = #expect(throws: TerminalError.self) { try component("loud").bell() }
        #expect(error?.description.contains("off, bell, osc9, osc777") == true)
        #expect(!component(nil).isInTmux)
    }
}
