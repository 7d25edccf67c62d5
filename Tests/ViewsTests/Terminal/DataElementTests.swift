// DataElementTests: sparklines, sorting and searching; who keeps its room.

import Testing

@testable import NapkinElements
@testable import NapkinTerminal

@Suite struct DataElementTests {
    @Test(arguments: goldenSizes)
    func `a search field and a sorted table`(size: ScreenSize) throws {
        let golden = Golden("data", size)
        let sort = Kept<TableSort?>(nil)
        let words = Kept("")
        let stage = Stage(size) {
            Table(
                [TableColumn("DISH"), TableColumn("PRICE", .trailing)],
                rows: [["Ribs", "14"], ["Brisket", "18"]], sortOrder: sort.binding)
            OwnSearch(words: words.binding) {
                List(
                    ["Ribs", "Brisket"].filter { words.value.isEmpty || $0.contains(words.value) },
                    id: \.self
                ) {
                    Text($0)
                }
            }
        }
        stage.focus("list")
        golden.take("as they are at first", stage)
        stage.press("s")
        golden.take("sorted by the first column", stage)
        stage.press("/")
        stage.type("R")
        golden.take("searched", stage)
        #expect(words.value == "R")
        try golden.check()
    }

    @Test func `a table is sorted by s and by a click, each column in both orders`() {
        let sort = Kept<TableSort?>(nil)
        let selection = Kept<Int?>(nil)
        let stage = Stage {
            Table(
                [TableColumn("DISH"), TableColumn("PRICE")],
                rows: [["Ribs", "14"], ["Beef", "18"]],
                selection: selection.binding, sortOrder: sort.binding)
        }
        var orders: [TableSort?] = []
        for _ in 0..<5 {
            stage.press("s")
            orders.append(sort.value)
        }
        #expect(
            orders == [
                TableSort(column: 0), TableSort(column: 0, order: .reverse), TableSort(column: 1),
                TableSort(column: 1, order: .reverse), TableSort(column: 0),
            ])
        stage.click("PRICE")
        #expect(sort.value == TableSort(column: 1))
        stage.click("PRICE")
        #expect(sort.value == TableSort(column: 1, order: .reverse))
        stage.click("Beef")
        #expect(selection.value == 1)
    }

    @Test func `a cell breaks between words, and within one that is wider than it`() {
        func lines(_ width: Int) -> [String] {
            Table(
                [TableColumn("DISH"), TableColumn("PRICE", .trailing)],
                rows: [["Ribs with beans", "14"], ["Beef", "18"]]
            )
            .render(width: width, height: 9)
            .map { String($0.text.reversed().drop { $0 == " " }.reversed()) }
        }
        #expect(lines(22)[1...] == ["Ribs with beans     14", "Beef                18"])
        #expect(
            lines(17) == ["DISH        PRICE", "Ribs with      14", "beans", "Beef           18"])
        #expect(lines(11) == ["DISH  PRICE", "Ribs     14", "with", "bean", "s", "Beef     18"])
    }

    @Test func `a name is not shortened while a sentence can be`() {
        let table = TableElement(
            columns: ["NAME", "CAUSE"].map { TableColumn($0) },
            rows: [["a-long-name-of-a-session", "it was ended by a signal"]], list: nil)
        #expect(TableCells(table: table).widths(in: 40) == [24, 14])
    }

    // MARK: - Plain text

    /// A view as plain text.
    private func plain(@ViewBuilder _ make: () -> some View) -> [String] {
        let elements = SiteRoot().evaluate(make(), EnvironmentValues()).elements
        let pass = LayoutPass(isLinear: true)
        let lines = elements.column.draw(in: Area(width: 40, height: .max), pass)
        #expect(pass.targets.isEmpty)
        return lines.map(\.text)
    }

    @Test func `each element has its plain text`() {
        #expect(plain { TabView { Tab("A") { Text("a") } } } == [" A ", "a"])
        #expect(plain { Log(["a", "\u{1B}[31mb"]) } == ["a", "b"])
        #expect(
            plain {
                Table(
                    [TableColumn("X")], rows: [["1"]],
                    sortOrder: .constant(TableSort(column: 0, order: .reverse)))
            } == ["X ▼", "1"])
        #expect(plain { Text("a").frame(minHeight: 4).layoutPriority(1) } == ["a"])
    }

    @Test func `plain text has a thousand items of a list, of a log the newest`() {
        let list = plain { List(0..<100_000, id: \.self) { Text("row \($0)") } }
        #expect(list.count == 1001)
        #expect(list.first == "row 0")
        #expect(list.last == "… 99000 more")
        let log = plain { Log((0..<100_000).lazy.map { "line \($0)" }) }
        #expect(log.count == 1001)
        #expect(log.first == "… 99000 more")
        #expect(log.last == "line 99999")
    }

    // MARK: - Layout

    @Test func `in a row the greatest priority keeps its width, in a column its lines`() {
        func row(_ first: Double, _ second: Double) -> String {
            HStack(spacing: 1) {
                Text("first text").lineLimit(1).layoutPriority(first)
                Text("second text").lineLimit(1).layoutPriority(second)
            }
            .render(width: 16, height: 1)[0].text
        }
        #expect(row(1, 0) == "first text seco…")
        #expect(row(0, 1) == "fir… second text")
        #expect(row(0, 0) == "first … second …")
        let stage = Stage(ScreenSize(width: 20, height: 12)) {
            List(0..<20, id: \.self) { Text("less \($0)") }
            List(0..<5, id: \.self) { Text("more \($0)") }.layoutPriority(1)
        }
        #expect((0..<5).allSatisfy { stage.text.contains("more \($0)") })
    }

    @Test func `what is empties keeps its lines`() {
        func lines(_ text: String?) -> [String] {
            VStack {
                Group { if let text { Text(text) } }.frame(minHeight: 2)
                Text("below")
            }
            .render(width: 20, height: 9).map(\.text)
        }
        #expect(lines("one") == ["one", "", "below"])
        #expect(lines(nil) == ["", "", "below"])
    }
}

/// A screen's own search: a field above what it searches, to which `/` goes.
struct OwnSearch<Content: View>: View {
    let words: Binding<String>
    @ViewBuilder let content: Content
    @FocusState private var isSearching: Bool

    var body: some View {
        VStack {
            TextField("search", text: words).focused($isSearching).id("search")
            content
        }
        .keyBindings([KeyBinding("/", "Search") { isSearching = true }])
    }
}
