// ListFilterTests: `/` filters a list or a table, and marks what it has found.

import NapkinCore
import Testing

@testable import NapkinElements
@testable import NapkinTerminal

@Suite struct ListFilterTests {
    private let dishes = ["Ribs", "Brisket", "Baby ribs", "Beans", "Crib"]
    private let selected = Kept<String?>(nil)
    private let chosen = Kept<[String]>([])

    private func stage(@ViewBuilder _ make: @escaping () -> some View) -> Stage {
        let stage = Stage(ScreenSize(width: 40, height: 22))
        stage.mounted.mount("a.view", view: Made { make() })
        return stage
    }

    private func list() -> Stage {
        stage { [dishes, selected, chosen] in
            List(dishes, id: \.self, selection: selected.binding) {
                Text($0)
            } primaryAction: {
                chosen.value.append($0)
            }
        }
    }

    @Test func `what has the words stays, and the words are marked`() {
        let stage = list()
        stage.press("/")
        #expect(stage.text.contains("/▏") && stage.text.contains("[Esc] All"))
        stage.type("RIB")
        #expect(!stage.text.contains("Brisket") && !stage.text.contains("Beans"))
        #expect(selected.value == "Ribs")
        let marked = stage.draw().lines.flatMap(\.spans).filter { $0.role == .match }.map(\.text)
        #expect(marked == ["rib", "rib"])
        stage.press(.enter)
        #expect(chosen.value.isEmpty && stage.text.contains("[Esc] All, not only RIB"))
        stage.press("n")
        #expect(selected.value == "Baby ribs")
        stage.press("n", "n")
        #expect(selected.value == "Ribs")
        stage.press("N", .enter)
        #expect(chosen.value == ["Crib"])
        stage.press(.escape)
        #expect(stage.text.contains("Beans") && selected.value == "Crib" && stage.quits == 0)
    }

    @Test func `Escape while typing shows all, and so does the last letter that is deleted`() {
        let stage = list()
        stage.press("/")
        stage.type("bean")
        #expect(!stage.text.contains("Crib"))
        stage.press(.escape)
        #expect(stage.text.contains("Crib") && selected.value == "Beans")
        stage.press("/")
        stage.type("b")
        stage.press(.backspace, .backspace)
        #expect(stage.text.contains("Beans") && !stage.text.contains("/▏"))
        stage.press("/")
        stage.type("nothing like it")
        #expect(!stage.text.contains("Ribs") && stage.text.contains("/nothing like it▏"))
        stage.press(.backspace, .escape)
        #expect(stage.text.contains("Ribs"))
    }

    @Test func `of a table, whole rows are searched`() {
        let row = Kept<Int?>(nil)
        let stage = stage {
            Table(
                [TableColumn("DISH"), TableColumn("PRICE")],
                rows: [["Ribs", "14"], ["Beef", "18"], ["Beans", "4"]], selection: row.binding)
        }
        stage.press("/")
        stage.type("18")
        #expect(stage.text.contains("Beef") && !stage.text.contains("Ribs"))
        #expect(row.value == 1)
    }

    @Test func `a screen's own search wins`() {
        let words = Kept("")
        let stage = stage { [dishes] in
            OwnSearch(words: words.binding) { List(dishes, id: \.self) { Text($0) } }
        }
        stage.focus("list")
        stage.press("/")
        stage.type("x")
        #expect(words.value == "x")
    }

    @Test func `a log marks what it has found, and keeps all lines`() {
        let stage = stage { Log(["a kettle", "no", "Kettle two"]) }
        stage.press("/")
        stage.type("kettle")
        stage.press(.enter)
        let marked = stage.draw().lines.flatMap(\.spans).filter { $0.role == .match }.map(\.text)
        #expect(marked == ["Kettle"] && stage.text.contains("no"))
    }
}
