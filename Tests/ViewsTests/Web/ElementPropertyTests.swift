// ElementPropertyTests: whatever changes, and whatever a person does, in whatever room there is, no
// element traps: in cells, and on a page. A seed repeats what it has done.

import Observation
import TestSupport
import Testing

@testable import NapkinElements
@testable import NapkinTerminal
@testable import NapkinWeb

/// What changes while a person looks at it.
@Observable private final class Pantry {
    var items = Array(0..<5)
    /// The number of the first line that a log still has.
    var first = 0
    var selected: Int?
    var row: Int?
    var sort: TableSort?
    var tab = 0
    var text = ""
    var isOn = false
    var picked = 0
    var next = 100

    /// Something happens to the items.
    func change(_ random: inout Randomness) {
        switch random.below(11) {
        case 0: items = []
        case 1: items = Array(0..<random.below(40))
        case 2: items.removeAll { "\($0)".contains("1") }
        case 3: items.reverse()
        case 4: items.removeLast(min(items.count, random.below(4)))
        case 5, 6:
            let count = min(items.count, random.below(4))
            items.removeFirst(count)
            first += count
        case 7: selected = items.randomElement(using: &random)
        case 8: row = random.percent(50) ? nil : random.below(50)
        case 9: (text, picked) = (Self.text(&random), random.below(9) - 3)
        default:
            items.append(next)
            next += 1
        }
    }

    static func text(_ random: inout Randomness) -> String {
        let parts = ["1", "item", "肉", "e\u{301}", "👨\u{200D}👩", "🇩🇪", "\u{301}", " ", "\u{1B}[31m"]
        return (0..<random.below(8)).map { _ in parts[random.below(parts.count)] }.joined()
    }
}

private struct PantryView: View {
    @Bindable var pantry: Pantry

    var body: some View {
        TabView(selection: $pantry.tab) {
            Tab("List", value: 0) { list }
            Tab("Table", value: 1) { table }
            Tab("Log", value: 2) {
                Log(pantry.items.map { "line \($0)" }, from: pantry.first)
                Button("Stop") {}
            }
            Tab("Controls", value: 3) { controls }
        }
    }

    private var list: some View {
        List(pantry.items, id: \.self, selection: $pantry.selected) {
            Text("item \($0)")
        } primaryAction: { item in
            pantry.items.removeAll { $0 == item }
        }
        .onKeyPress { key, item in
            if key == .delete { pantry.items.removeAll { $0 == item } }
            return key == .delete
        }
    }

    private var table: some View {
        HStack(spacing: 1) {
            Table(
                [TableColumn("ITEM"), TableColumn("肉", .trailing, isOptional: true)],
                rows: pantry.items.map { ["item \($0)", "肉\($0)"] }, selection: $pantry.row,
                sortOrder: $pantry.sort
            ) { _ in
                pantry.items.reverse()
            }
            List(pantry.items.reversed(), id: \.self) { Text("\($0)") }.followsEnd()
        }
    }

    private var controls: some View {
        ScrollView {
            TextField("text", text: $pantry.text, problem: pantry.isOn ? "no" : nil)
            SecureField("secret", text: $pantry.text)
            Toggle("on", isOn: $pantry.isOn)
            Picker(
                "pick", selection: $pantry.picked, options: pantry.items.prefix(3).map { "\($0)" })
            ProgressView("done", value: 1 / Double(pantry.items.count))
            ProgressView("going on", phase: pantry.picked)
            GroupBox(pantry.text) { Text(pantry.text).lineLimit(1).frame(width: pantry.picked) }
            Flow { ForEach(pantry.items, id: \.self) { Button("\($0)") {} } }
        }
    }
}

@Suite struct ElementPropertyTests {
    private static let keys: [Key] =
        ["j", "k", "g", "G", "/", "n", "N", "?", ":", "s", "1", "q", "-", " "]
        + [.up, .down, .left, .right, .pageUp, .pageDown, .home, .end, .tab, .backTab, .enter]
        + [.escape, .escape, .backspace, .delete, .control("t"), .control("d"), .control("u")]
        + [.control("w"), .control("k"), .alt("b"), .alt("f")]

    @Test func `after all that a filter has left are gone, all that are left are shown again`() {
        let pantry = Pantry()
        pantry.items = Array(0..<20)
        let screen = ViewScreen(PantryView(pantry: pantry), redraw: {})
        let size = ScreenSize(width: 40, height: 12)
        func press(_ keys: Key...) {
            for key in keys {
                _ = screen.page(size)
                screen.press(key)
            }
        }
        press(.tab, "G", "/", "1", .enter, "G")
        pantry.items.removeAll { "\($0)".contains("1") }
        press(.escape)
        #expect(screen.page(size).lines.contains { $0.text.contains("item 2") })
        #expect(pantry.selected.map(pantry.items.contains) == true)
    }

    @Test(arguments: 0..<12)
    func `in cells, nothing traps, and every line fits`(seed: UInt64) {
        var random = Randomness(seed: seed)
        let pantry = Pantry()
        let screen = ViewScreen(PantryView(pantry: pantry), redraw: {})
        var size = ScreenSize(width: 40, height: 12)
        for _ in 0..<250 {
            switch random.below(10) {
            case 0, 1: pantry.change(&random)
            case 2: size = ScreenSize(width: 1 + random.below(90), height: 1 + random.below(30))
            case 3: screen.handle(.paste(Pantry.text(&random)))
            case 4: screen.handle(.click(x: random.below(90), y: random.below(30)))
            case 5:
                let lines = random.below(9) - 4
                screen.handle(.wheel(x: random.below(90), y: random.below(30), lines: lines))
            default: screen.press(Self.keys[random.below(Self.keys.count)])
            }
            // Several things may happen between two drawings.
            guard random.percent(70) else { continue }
            let page = screen.page(size)
            #expect(page.lines.count <= size.height)
            #expect(page.lines.allSatisfy { $0.cells <= size.width }, "\(size) \(pantry.tab)")
        }
        _ = ViewStage(PantryView(pantry: pantry), width: 60, height: 20).tree()
    }

    /// Takes whatever a page is told.
    private final class Line: TabLine {
        func send(_ text: String, written: @escaping @MainActor @Sendable () -> Void) { written() }
        func close() {}
    }

    @Test(arguments: 0..<12)
    func `on a page, nothing traps, whatever the page says`(seed: UInt64) {
        var random = Randomness(seed: seed)
        let pantry = Pantry()
        let content = ViewTab(
            PantryView(pantry: pantry), named: "pantry", saying: { "" }, whenLeft: {})
        let tab = WebTab("tab", content, AppScripts())
        let line = Line()
        tab.connect(line)
        let kinds = [
            "press", "text", "submit", "toggle", "pick", "select", "choose", "focus", "key",
        ]
        for number in 1...250 {
            if random.percent(20) { pantry.change(&random) }
            // What is drawn only later, or never, is used as well.
            if random.percent(60) { tab.flush() }
            let ids = tab.targets.keys.sorted() + ["nothing"]
            let id = ids[random.below(ids.count)]
            let key = Self.keys[random.below(Self.keys.count)]
            let row = random.percent(5) ? Int.max : random.below(60) - 3
            let kind = kinds[random.below(kinds.count)]
            let text = random.percent(50) ? "1" : "item"
            tab.take(
                """
                {"type":"\(kind)","number":\(number),"id":"\(id)","key":"\(key.domName)",\
                "row":\(row),"text":"\(text)","isOn":\(random.percent(50)),"label":"Further"}
                """)
        }
        tab.flush()
        tab.close()
    }
}
