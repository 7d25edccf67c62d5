// MovementKeyTests: the keys of vi and less in lists, tables, logs and pages.

import Testing

@testable import NapkinElements
@testable import NapkinTerminal

@Suite struct MovementKeyTests {
    private let items = (0..<100).map { "item \($0)" }

    private func stage(@ViewBuilder _ make: @escaping () -> some View) -> Stage {
        let stage = Stage(ScreenSize(width: 40, height: 22))
        stage.mounted.mount("a.view", view: Made { make() })
        return stage
    }

    @Test func `a list is moved in as in vi`() {
        let selected = Kept<String?>(nil)
        let stage = stage { List(items, id: \.self, selection: selected.binding) { Text($0) } }
        let steps: [(Key, Int)] = [
            ("j", 1), ("j", 2), ("k", 1), ("G", 99), ("g", 0), (.control("d"), 10),
            (.control("d"), 20), (.control("u"), 10), (.control("u"), 0), ("k", 0), ("G", 99),
            ("j", 99), (.control("d"), 99),
        ]
        for (key, index) in steps {
            stage.press(key)
            #expect(selected.value == "item \(index)", "\(key)")
        }
    }

    @Test func `a table and a log are moved in the same way`() {
        let selected = Kept<Int?>(nil)
        let table = stage {
            Table([TableColumn("DISH")], rows: items.map { [$0] }, selection: selected.binding)
        }
        table.press("j", "j", "k")
        #expect(selected.value == 1)
        table.press("G")
        #expect(selected.value == 99)
        let log = stage { Log(items) }
        log.press("g")
        #expect(log.text.contains("item 0") && !log.text.contains("item 99"))
        log.press("G")
        #expect(log.text.contains("item 99"))
    }

    @Test func `a page without a list scrolls`() {
        let stage = stage { ForEach(items, id: \.self) { Text($0) } }
        stage.press("j", "j")
        #expect(stage.text.hasPrefix("↑ 2 more"))
        stage.press("k", .control("d"))
        #expect(stage.text.hasPrefix("↑ 11 more"))
        stage.press("G")
        #expect(stage.text.contains("item 99"))
        stage.press("g")
        #expect(stage.text.hasPrefix("item 0"))
    }

    @Test func `what a screen has bound is the screen's, and what is typed is text`() {
        let pressed = Kept<[String]>([])
        let text = Kept("")
        let stage = stage {
            List(items, id: \.self) {
                Text($0)
            }
            .onKeyPress { key, item in
                if key == "g" { pressed.value.append("g on \(item)") }
                return key == "g"
            }
            TextField("say", text: text.binding)
            Text("").keyBindings([
                KeyBinding("j", "Jump") { pressed.value.append("j") },
                KeyBinding(.control("d"), "Delete") { pressed.value.append("^D") },
            ])
        }
        stage.focus("list")
        stage.press("k", "j", .control("d"), "g")
        #expect(pressed.value == ["j", "^D", "g on item 0"])
        stage.focus("field")
        stage.type("jkgG")
        #expect(text.value == "jkgG")
    }
}
