// ElementTests: each element at each size, and what keys and clicks do to it.

import Testing

@testable import NapkinElements
@testable import NapkinTerminal

@Suite struct ElementTests {
    /// A stage with one view of these elements.
    private func stage(
        _ size: ScreenSize, @ViewBuilder _ make: @escaping () -> some View
    ) -> Stage {
        let stage = Stage(size)
        stage.mounted.mount("a.view", view: Made { make() })
        return stage
    }

    @Test(arguments: goldenSizes)
    func `words, banners, progress and lines`(size: ScreenSize) throws {
        let golden = Golden("words", size)
        golden.take(
            "text is cut, or broken between words",
            stage(size) {
                Text("Low, slow and worth the wait: fourteen hours over hickory.").lineLimit(1)
                Text("Low, slow and worth the wait: fourteen hours over hickory.")
                Text("肉肉肉肉肉肉肉肉肉肉肉 Cafe\u{301} 🍖")
            })
        golden.take(
            "a banner, progress of both kinds, a separator",
            stage(size) {
                Banner("LAST CALL · Brisket")
                ProgressView("Smoke", value: 0.42)
                ProgressView("Rest", phase: 3)
                Divider()
                Text("after")
            })
        try golden.check()
    }

    @Test(arguments: goldenSizes)
    func `columns, rows and boxes`(size: ScreenSize) throws {
        let golden = Golden("stacks", size)
        golden.take(
            "a fixed column, a share, and two shares",
            stage(size) {
                HStack {
                    Text("fixed and cut").lineLimit(1).frame(width: 6)
                    Text("one share of the rest").lineLimit(1).frame(maxWidth: .infinity)
                    Text("two shares of it").lineLimit(1).frame(maxWidth: .share(2))
                }
            })
        golden.take(
            "boxes beside one another, or below",
            stage(size) {
                HStack(spacing: 1, stackedBelow: 40) {
                    GroupBox("One") { Text("alone") }.frame(maxWidth: .infinity)
                    GroupBox("Two") {
                        Text("first")
                        Text("second")
                    }.frame(maxWidth: .infinity)
                }
            })
        golden.take(
            "a box in a box, 肉 in a title, and buttons that flow",
            stage(size) {
                GroupBox("肉 outer") { GroupBox("inner") { Text("core") } }
                Flow { ForEach(["Ribs", "Brisket", "Sausage"], id: \.self) { Button($0) {} } }
            })
        golden.take(
            "what is left over goes to the spacer",
            stage(size) {
                Text("top")
                Spacer()
                Text("bottom")
            })
        try golden.check()
    }

    @Test(arguments: goldenSizes)
    func `a list scrolls with its selection`(size: ScreenSize) throws {
        let golden = Golden("list", size)
        let selection = Kept<Int?>(nil)
        var chosen: [Int] = []
        let stage = stage(size) {
            List(1...60, id: \.self, selection: selection.binding) {
                Text("item \($0)")
            } primaryAction: {
                chosen.append($0)
            }
        }
        golden.take("at its top", stage)
        stage.press(.down, .pageDown)
        golden.take("a page and a line on", stage)
        stage.press(.end)
        golden.take("at its end", stage)
        stage.wheel(over: "item 60", lines: -3)
        golden.take("scrolled back, the selection out of sight", stage)
        stage.press(.up, .enter)
        golden.take("a key shows the selection again", stage)
        #expect(chosen == [59])
        stage.press(.home, .pageUp)
        #expect(selection.value == 1)
        try golden.check()
    }

    @Test func `a click selects, a second one chooses`() {
        let selection = Kept<String?>(nil)
        var chosen: [String] = []
        let stage = stage(goldenSizes[0]) {
            Text("menu")
            List(["Brisket", "Ribs", "Sausage"], id: \.self, selection: selection.binding) {
                Text($0)
            } primaryAction: {
                chosen.append($0)
            }
        }
        stage.click("Sausage")
        #expect(selection.value == "Sausage")
        #expect(chosen.isEmpty)
        stage.click("Sausage")
        #expect(chosen == ["Sausage"])
    }

    @Test(arguments: goldenSizes)
    func `a table has columns under headings`(size: ScreenSize) throws {
        let golden = Golden("table", size)
        let columns = [
            TableColumn("DISH"), TableColumn("PRICE", .trailing), TableColumn("WHERE FROM"),
        ]
        let rows = (1...40).map { number in
            number == 2
                ? ["肉の炭火焼き", "1200", "a very long way from the kitchen of this house"]
                : ["Dish \(number)", "\(number * 7)", number == 3 ? "Cafe\u{301}" : "pit"]
        }
        golden.take("without a selection", stage(size) { Table(columns, rows: rows) })
        let selection = Kept<Int?>(nil)
        let selecting = stage(size) { Table(columns, rows: rows, selection: selection.binding) }
        selecting.press(.pageDown)
        golden.take("rows scroll under the headings", selecting)
        try golden.check()
    }

    @Test(arguments: goldenSizes)
    func `a text field is edited`(size: ScreenSize) throws {
        let golden = Golden("field", size)
        let text = Kept("")
        var submitted: [String] = []
        var changes = 0
        let field = stage(size) {
            Text("Name")
            TextField("who?", text: text.binding).onSubmit { submitted.append(text.value) }
                .onChange(of: text.value) { changes += 1 }
            Button("Other") {}
        }
        golden.take("empty and focused", field)
        field.type("Smokey 肉 Joe")
        golden.take("typed", field)
        field.press(.tab)
        golden.take("the focus is elsewhere", field)
        field.press(.backTab, .home, .right, .delete, .end, .control("w"))
        field.type("e\u{301}")
        golden.take("edited", field)
        field.paste("a\nb\u{1B}c\t" + String(repeating: "long ", count: 30))
        golden.take("pasted: what does not fit scrolls", field)
        field.press(.enter)
        #expect(submitted.count == 1)
        // Each letter of Smokey 肉 Joe, two deletions, e and its accent, the paste; not Enter.
        #expect(changes > 13)
        #expect(submitted[0].hasPrefix("Sokey 肉 e\u{301}a bc long"))
        field.press(.control("u"))
        #expect(text.value.isEmpty)
        try golden.check()
    }

    @Test func `every key of a field edits as it says`() {
        func after(_ text: String, _ keys: [Key]) -> String {
            let model = FieldMemory(text)
            for key in keys { #expect(model.press(key), "\(key)") }
            model.insert("|")
            return model.text
        }
        #expect(after("one two", [.left, .left]) == "one t|wo")
        #expect(after("one two", [.control("a")]) == "|one two")
        #expect(after("one two", [.home, .control("e")]) == "one two|")
        #expect(after("one two", [.alt("b"), .control("k")]) == "one |")
        #expect(after("one two", [.control("a"), .alt("f")]) == "one| two")
        #expect(after("one two  ", [.control("w")]) == "one |")
        #expect(after("one", [.backspace, .backspace]) == "o|")
        #expect(after("one", [.home, .backspace, .delete]) == "|ne")
        #expect(after("👨‍👩‍👧e\u{301}", [.backspace]) == "👨‍👩‍👧|")
        #expect(after("👨‍👩‍👧", [.backspace]) == "|")
        #expect(!FieldMemory("a").press(.up))
    }

    @Test func `a combining character joins the one before the cursor`() {
        let model = FieldMemory()
        for text in ["e", "\u{301}", "x"] { model.insert(text) }
        #expect(model.text == "e\u{301}x")
        #expect(model.cursor == 2)
        _ = model.press(.backspace)
        _ = model.press(.backspace)
        #expect(model.text.isEmpty)
    }

    @Test func `a field takes no more than its limit`() {
        let model = FieldMemory(String(repeating: "x", count: FieldMemory.bytesMax - 1))
        #expect(!model.insert("éa"))
        #expect(model.text.utf8.count == FieldMemory.bytesMax - 1)
        #expect(!model.insert("ab"))
        #expect(model.text.utf8.count == FieldMemory.bytesMax && model.text.hasSuffix("xa"))
        #expect(!model.insert("a"))
        #expect(model.text.utf8.count == FieldMemory.bytesMax)
    }

    @Test(arguments: goldenSizes)
    func `toggles, choices and tabs`(size: ScreenSize) throws {
        let golden = Golden("choices", size)
        let isOn = Kept(false)
        let chosen = Kept(0)
        let tab = Kept(0)
        let stage = stage(size) {
            TabStrip(["menu", "orders", "肉"], selected: tab.value) { tab.value = $0 }
            Toggle("Spicy", isOn: isOn.binding)
            Picker(
                "done", selection: chosen.binding,
                options: ["rare", "medium", "well done"])
        }
        golden.take("as they are at first", stage)
        stage.press(.right, .tab, .character(" "), .tab, .left)
        #expect((isOn.value, chosen.value, tab.value) == (true, 2, 1))
        golden.take("changed by keys", stage)
        stage.press(.right)
        #expect(chosen.value == 0)
        try golden.check()
    }

    @Test func `toggles, choices, tabs and buttons are clicked`() {
        let isOn = Kept(false)
        let chosen = Kept(0)
        let tab = Kept(0)
        var pressed = 0
        let stage = stage(goldenSizes[0]) {
            TabStrip(["menu", "orders"], selected: tab.value) { tab.value = $0 }
            Toggle("Spicy", isOn: isOn.binding)
            Picker(
                "done", selection: chosen.binding,
                options: ["rare", "medium"])
            Button("Order") { pressed += 1 }.keyboardShortcut("o")
        }
        for text in ["orders", "Spicy", "›", "Order"] { stage.click(text) }
        #expect((isOn.value, chosen.value, tab.value, pressed) == (true, 1, 1, 1))
        #expect(stage.focused == "Order")
        stage.click("menu")
        #expect(tab.value == 0)
        // Beside everything nothing happens.
        stage.draw()
        stage.screen.handle(.click(x: 79, y: 20))
        #expect((isOn.value, chosen.value, tab.value, pressed) == (true, 1, 0, 1))
    }

    @Test func `progress is within its ends, and a width is enough for all of it`() {
        for (fraction, percent) in [
            (-1, "0 %"), (0.999, "99 %"), (1, "100 %"), (7, "100 %"), (.nan, "0 %"),
        ] as [(Double, String)] {
            let lines = ProgressView("x", value: fraction).render(width: 30, height: 1)
            #expect(lines.map(\.cells) == [30])
            #expect(lines[0].text.hasSuffix(percent))
        }
        let bars = Set(
            (0..<40).map {
                ProgressView(phase: $0).render(width: 20, height: 1)[0].text
            })
        #expect(bars.count > 5)
        #expect(bars.allSatisfy { $0.count { $0 == "━" } == 3 })
    }

    /// Texts whose characters and cells differ in number: wide, combined, joined, of no width.
    nonisolated private static let texts = [
        "肉肉 words and 🍖 more", "e\u{301}e\u{301}\u{302} Cafe\u{301} \u{301}", "👨‍👩‍👧‍👦👨‍👩‍👧 🏳️‍🌈 ❤️ 👍🏽",
        "\u{200D}\u{200B}\u{FE0F}a\u{200D}b", "한국어 กำ नमस्ते 🇩🇪🇩🇪🇩", "\u{1B}[31m肉\t\u{9B}2J\r",
    ]

    /// Each element, with a text in all its places.
    private func views(_ text: String) -> [any View] {
        [
            Text(text), Text(text).lineLimit(1), Text(text).lineLimit(2), Banner(text),
            Text(text).truncationMode(.head), Text("肉").navigationTitle(text),
            ProgressView(text, value: 0.5), Divider(), GroupBox(text) { Text(text) },
            List(0..<9, id: \.self) { Text("\($0)\(text)") },
            List(0..<9, id: \.self) { _ in Text(text) }.withAside { _ in text },
            Table([TableColumn(text)], rows: [[text]], selection: .constant(0)),
            Table(
                [TableColumn(text), TableColumn("b", .trailing)], rows: [[text, text]],
                sortOrder: .constant(TableSort(column: 0))),
            TextField(text, text: .constant("")), TextField(text: .constant(text), problem: text),
            SecureField(text: .constant(text)), Button(text) {}, Button(text) {}.disabled(true),
            Button(text) {}.keyboardShortcut("k"),
            Picker(text, selection: .constant(0), options: [text]),
            Toggle(text, isOn: .constant(true)), TabStrip([text, text], selected: 0) { _ in },
            TabView { Tab(text) { Text(text) } },
            HStack { ForEach(0..<3) { _ in Text(text).frame(maxWidth: .infinity) } },
            HStack { ForEach(0..<3) { Text(text).layoutPriority(Double($0)) } },
            HStack(alignment: .center) { ForEach(0..<3) { Text(text).frame(width: 4 * $0) } },
            VStack(alignment: .trailing) {
                ForEach(1..<9) { Text(text).frame(maxWidth: .length($0)) }
            },
            Button(text) {}.frame(minWidth: 9, maxWidth: .infinity, alignment: .bottomTrailing),
            VStack(alignment: .center) { Text(text) }.frame(height: 2).border(),
            Toggle(text, isOn: .constant(true)).frame(width: -1, height: .max),
            Flow { ForEach(0..<3) { _ in Button(text) {} } }, Text(text).padding(.leading, 4),
            Text(text).padding(), Text(text).border(), Section(text) { Text(text) },
            AnyView(Text(text)).id(7).accessibilityLabel(text).frame(minHeight: 3),
            ScrollView { ForEach(0..<9) { _ in Toggle(text, isOn: .constant(true)) } },
            Log(Array(repeating: text, count: 9)),
        ]
    }

    @Test(arguments: texts)
    func `no element is wider than its room, however little there is`(text: String) {
        let elements =
            views(text).map { SiteRoot().evaluate($0, EnvironmentValues()).elements.column } + [
                RenderedElement.overlay(
                    RenderTurn.Presentation(text, [.text(Text(text))], in: BoxMemory()),
                    over: .text(Text(text))
                ).cells
            ]
        for (index, element) in elements.enumerated() {
            for width in Array(1...20) + [33, 50] {
                for height in [1, 2, 5, 20] {
                    let pass = LayoutPass(height: height)
                    let lines = element.draw(in: Area(width: width, height: height), pass)
                    #expect(lines.allSatisfy { $0.cells <= width }, "element \(index), \(width)")
                    for target in pass.targets {
                        #expect(target.area.x + target.area.width <= width, "element \(index)")
                    }
                }
            }
        }
    }
}

/// The names of tabs.
struct TabStrip: View, Primitive {
    typealias Body = Never
    private let names: [String]
    private let selected: Int
    private let select: (Int) -> Void

    init(_ names: [String], selected: Int, select: @escaping (Int) -> Void) {
        self.names = names
        self.selected = selected
        self.select = select
    }

    func elements(in context: RenderContext) -> [RenderedElement] {
        [.tabs(names, selected: selected, select: select)]
    }
}
