// HTMLTests: the HTML of each element.

import NapkinCore
import NapkinElements
import Testing

@testable import NapkinWeb

/// A view on a page.
final class Sheet {
    private let page: StandalonePage
    private let names = ElementNames()
    let scripts = AppScripts()
    private(set) var rendering: PageRendering
    private(set) var root = HTMLNode("div", "root")

    init(_ view: some View) {
        page = StandalonePage(view)
        rendering = PageRendering(names, scripts)
        draw()
    }

    func draw() {
        let composed = page.compose()
        rendering = PageRendering(names, scripts)
        root = rendering.page(composed, keys: composed.keys)
        let ids = root.html.matches(of: #/ id="([^"]*)"/#).map(\.output.1)
        #expect(Set(ids).count == ids.count, "an id is there twice: \(ids)")
    }

    /// The HTML without ids.
    var html: String {
        root.html.replacing(#/ id="[^"]*"/#, with: "").replacing(#/ data-do="[^"]*"/#, with: "")
    }

    func id(_ isIt: (PageTarget) -> Bool) -> String? {
        rendering.targets.first { isIt($0.value) }?.key
    }
}

@Suite struct HTMLTests {
    private func contains(_ view: some View, _ parts: String...) {
        let html = Sheet(view).html
        for part in parts { #expect(html.contains(part), "\(part) in \(html)") }
    }

    @Test func `texts are escaped, and their roles are classes`() {
        contains(
            Text("<b>&\"'") + Text("ribs").foregroundStyle(.accent),
            "<p>&lt;b&gt;&amp;&quot;&#39;<span class=\"accent\">ribs</span></p>")
        contains(Text("Pit").bold(), "<h2><span class=\"title\">Pit</span></h2>")
        contains(Text("10").accessibilityLabel("ten"), "<p aria-label=\"ten\">10</p>")
        contains(Text("a").navigationTitle("A & B"), "<h1>A &amp; B</h1>")
    }

    @Test func `each role has a look on a page, and none that of an element`() {
        let sheet = String(decoding: PackageResources.style_css, as: UTF8.self)
        for role in TextRole.allCases where role != .plain {
            let rules = ["\n.\(role) {", "\nspan.\(role) {"].filter(sheet.contains)
            #expect(rules.count == 1, "\(role): \(rules)")
        }
        let untagged = sheet.matches(of: #/(\w*)\.(?:border|field)\b/#).filter(\.output.1.isEmpty)
        #expect(untagged.isEmpty, "a text with that role would look like such an element")
    }

    @Test func `the palette is a dialog whose field tells which row is selected`() throws {
        let palette = CommandPalette {}
        palette.open()
        let page = palette.over(
            StandalonePage(Button("Order") {}.keyboardShortcut("o")).compose())
        var rendering = PageRendering(ElementNames(), AppScripts())
        let html = rendering.page(page, keys: page.keys).html
        let field = try #require(html.firstMatch(of: #/<input [^>]*>/#)?.output)
        let list = try #require(html.firstMatch(of: #/<ul [^>]*>/#)?.output)
        let id = try #require(list.firstMatch(of: #/ id="([^"]*)"/#)?.output.1)
        for part in [
            "role=\"combobox\"", "aria-label=\"Command\"", "aria-controls=\"\(id)\"",
            "aria-activedescendant=\"\(id).0\"", "aria-expanded=\"true\"",
        ] {
            #expect(field.contains(part), "\(part) in \(field)")
        }
        #expect(list.contains("role=\"listbox\"") && list.contains("aria-label=\"Commands\""))
        #expect(html.contains("<span class=\"secondary aside\">o</span>"))
    }

    @Test func `stacks, frames and boxes are styles that a script sets`() {
        contains(
            VStack(alignment: .center) { Text("a").frame(width: 4, alignment: .trailing) },
            "<div class=\"column\" data-css=\"align-items: center\">",
            "<div class=\"frame\" data-css=\"width: min(4ch, 100%); display: grid; ")
        contains(HStack { Text("a") }, "<div class=\"row\" data-css=\"column-gap: 2ch\"")
        contains(
            GroupBox("Smoking") { Text("a") },
            "<fieldset><legend><span class=\"accent\">Smoking</span></legend><p>a</p></fieldset>")
        contains(Text("a").border(), "<div class=\"border\"><p>a</p></div>")
        contains(Text("a").padding(), "data-css=\"padding: 1lh 2ch 1lh 2ch\"")
        contains(Spacer(), "<div class=\"spacer\"></div>")
        contains(Divider(), "<hr>")
        contains(HStack { Text("a").layoutPriority(1) }, "data-css=\"flex-shrink: 0\"")
        contains(
            ScrollView { Text("a") },
            "<div class=\"scroll\" tabindex=\"0\"><p>a</p></div>")
    }

    @Test func `an own element has its values, and what is too long has its other form`() {
        func picture(_ values: [String]) -> some View {
            WebElement("ember-picture", script: Array("1".utf8), values: values) {
                Text("the form")
            }
            .accessibilityLabel("The fire")
        }
        contains(
            picture(["<a>"]), "<ember-picture aria-label=\"The fire\"",
            "data-script=\"./elements/ember-picture.js\"",
            "data-values=\"[&quot;&lt;a&gt;&quot;]\"", "role=\"group\"")
        let sheet = Sheet(picture(["a"]))
        #expect(!sheet.html.contains("the form"))
        #expect(sheet.scripts.script(at: "elements/ember-picture.js") == Array("1".utf8))
        #expect(sheet.scripts.script(at: "elements/../ember-picture.js") == nil)
        #expect(Sheet(Text("")).scripts.script(at: "elements/ember-picture.js") == nil)
        contains(picture([String(repeating: "a", count: 64 * 1024)]), "the form")
    }

    @Test func `an own element's event comes with its text, if it can be used`() throws {
        var heard = ""
        let sheet = Sheet(
            WebElement("ember-event", script: [], values: 1) {
            } onEvent: {
                heard = $0
            })
        guard case .own(let own) = sheet.rendering.targets.values.first else {
            Issue.record("there is no own element")
            return
        }
        own.event("fan")
        #expect(heard == "fan")
    }

    @Test func `a console is rows of text, of which a change touches only its own`() throws {
        var screen = ConsoleScreen(rows: 3, columns: 10)
        let style = ConsoleStyle(foreground: .indexed(1), background: .rgb(0x0A0B0C), .bold)
        screen.rows[0] = ConsoleRow([
            ConsoleRun("<b>", cells: 3, style: style), ConsoleRun("漢", cells: 2),
        ])
        screen.cursor = ConsoleCursor(row: 0, column: 1, shape: .bar)
        let css = "data-css=\"color:#cc3333;background:#0a0b0c;font-weight:bold\""
        var heard: [ConsoleInput] = []
        let sheet = Sheet(Console(screen, label: "Build") { heard.append($0) })
        let html = sheet.html
        for part in [
            "<span \(css)>&lt;</span><span class=\"cursor bar\" \(css)>b</span>"
                + "<span \(css)>&gt;</span>",
            "<span data-css=\"display:inline-block;width:2ch\">漢</span>",
            "aria-label=\"Type into Build\"", "data-sends=\"Control+c\"",
        ] { #expect(html.contains(part), "\(part) in \(html)") }
        guard
            case .console(let console)? = sheet.rendering.targets.values.first(where: {
                if case .console = $0 { true } else { false }
            })
        else {
            Issue.record("there is no console")
            return
        }
        let events = [
            #"{"type":"console","number":1,"act":"size","row":3,"column":10}"#,
            #"{"type":"console","number":1,"act":"key","key":"Control+c"}"#,
            #"{"type":"console","number":1,"act":"text","text":"é"}"#,
            #"{"type":"console","number":1,"act":"click","row":2,"column":1}"#,
            #"{"type":"console","number":1,"act":"wheel","row":2,"column":1,"text":"-3"}"#,
            #"{"type":"console","number":1,"act":"nothing"}"#,
        ]
        for event in events { console.take(try #require(PageEvent(event))) }
        #expect(
            heard == [
                .resize(rows: 3, columns: 10), .key("Control+c"), .text("é"),
                .click(row: 2, column: 1), .wheel(row: 2, column: 1, lines: -3),
            ])
        let before = sheet.root
        screen.rows[2] = ConsoleRow([ConsoleRun("new", cells: 3)])
        let after = Sheet(Console(screen, label: "Build") { _ in }).root
        let patches = PagePatch.changes(from: before, to: after)
        #expect(patches.map(\.inner) == ["new"], "\(patches)")
    }

    @Test func `buttons show their keys, which the page does not name twice`() {
        let html = Sheet(
            Group {
                Button("Send") {}.keyboardShortcut("s")
                Button("Never") {}.disabled(true)
            }
            .keyBindings([KeyBinding(.escape, "Back") {}])
        ).html
        #expect(
            html.contains(
                "<button accesskey=\"s\" aria-keyshortcuts=\"s\" data-key=\"s\" "
                    + "data-label=\"Send\" type=\"button\"><kbd aria-hidden=\"true\">s</kbd> "
                    + "Send</button>"))
        #expect(
            html.contains("<button data-label=\"Never\" disabled type=\"button\">Never</button>"))
        #expect(
            html.contains(
                "<nav aria-label=\"Keys\"><button aria-keyshortcuts=\"Escape\" data-key=\"Escape\" "
                    + "data-label=\"Back\" type=\"button\"><kbd aria-hidden=\"true\">Esc</kbd> "
                    + "Back</button></nav>"))
    }

    @Test func `controls are labelled inputs`() {
        contains(
            Toggle("Spicy", isOn: .constant(true)),
            "<label><input checked type=\"checkbox\"><span>Spicy</span></label>")
        contains(
            Picker("done", selection: .constant("rare"), options: ["raw", "rare"]),
            "<select aria-label=\"done\"><option value=\"0\">raw</option>"
                + "<option selected value=\"1\">rare</option></select>")
        contains(
            TextField("a name", text: .constant("Joe"), problem: "too short").id("who"),
            "aria-invalid=\"true\" aria-label=\"a name\" autocomplete=\"off\" data-name=\"who\" "
                + "placeholder=\"a name\" type=\"text\" value=\"Joe\"",
            "<p class=\"error\" role=\"alert\">too short</p>")
        contains(SecureField("word", text: .constant("x")), "type=\"password\"")
        contains(
            ProgressView("smoking", value: 0.5), "<progress aria-label=\"smoking\" value=\"0.5\">",
            "<span>smoking 50 %</span>")
    }

    @Test func `lists, tables and tabs have roles and a selected row`() {
        contains(
            List(["Ribs", "Brisket"], id: \.self) { Text($0) }.id("menu"),
            "<ul aria-activedescendant=\"e1.0\" aria-label=\"menu\" data-name=\"menu\" "
                + "role=\"listbox\" tabindex=\"0\"><li aria-posinset=\"1\" aria-selected=\"true\" "
                + "aria-setsize=\"2\" data-row=\"0\" role=\"option\">Ribs</li>")
        contains(
            Table([TableColumn("DISH"), TableColumn("N", .trailing)], rows: [["Ribs", "2"]]),
            "<th scope=\"col\">DISH</th>", "<td>Ribs</td><td class=\"number\">2</td>")
        contains(
            Table(
                [TableColumn("DISH")], rows: [["Ribs"]], selection: .constant(0),
                sortOrder: .constant(TableSort(column: 0))),
            "<th aria-sort=\"ascending\" scope=\"col\"><button type=\"button\">DISH ▲</button>",
            "aria-rowcount=\"2\"", "role=\"grid\"",
            "<tr aria-rowindex=\"2\" aria-selected=\"true\" data-row=\"0\" role=\"row\">"
                + "<td>Ribs</td></tr>")
        contains(
            TabView {
                Tab("Menu") { Text("Ribs") }
                Tab("Orders") { Text("none") }
            },
            "<div role=\"tablist\"><button aria-selected=\"true\" data-row=\"0\" role=\"tab\"",
            "<p>Ribs</p>")
    }

    @Test func `a list of any length has a window of rows`() {
        let sheet = Sheet(List(0..<100_000, id: \.self) { Text("row \($0)") })
        let rows = sheet.html.components(between: "role=\"option\"")
        #expect(rows == PageRendering.rowsMax)
        #expect(sheet.html.contains("99800 after"))
    }

    @Test func `lines and banners have a form`() {
        contains(Lines { _, _ in ["▁▂"] }, "<pre role=\"img\">▁▂</pre>")
        contains(
            Text("a").banner { Banner("closed") },
            "<p class=\"banner\" role=\"alert\">", "closed")
    }

    @Test func `what a dialog covers is inert and does nothing`() {
        let sheet = Sheet(
            Button("Below") {}.alert("Sure?", isPresented: .constant(true)) { Button("Yes") {} })
        #expect(sheet.html.contains("<div inert>"))
        #expect(sheet.html.contains("<dialog aria-labelledby"))
        #expect(sheet.html.contains("<h2>Sure?</h2>"))
        #expect(!sheet.html.contains("open=") && !sheet.html.contains(" open"))
        let labels = sheet.rendering.targets.values.compactMap { target in
            if case .button(let button) = target { button.label } else { nil }
        }
        #expect(labels == ["Yes"])
    }

    @Test func `the topmost dialog has the page to itself, with the keys that work there`() throws {
        let palette = CommandPalette {}
        palette.open()
        let page = palette.over(
            StandalonePage(
                Button("Below") {}.alert("Sure?", isPresented: .constant(true)) { Button("Yes") {} }
            ).compose())
        var rendering = PageRendering(ElementNames(), AppScripts())
        let html = rendering.page(page, keys: [KeyBinding(.escape, "Back") {}]).html
        let dialogs = html.matches(of: #/<dialog [^>]*>/#)
        #expect(dialogs.map { $0.output.contains(" open") } == [true, false])
        let last = try #require(dialogs.last)
        #expect(html[last.range.upperBound...].contains("</nav></dialog>"))
        #expect(html.components(between: "<nav") == 1)
    }

    @Test func `what is selected is seen in the system's colours`() {
        let sheet = String(decoding: PackageResources.style_css, as: UTF8.self)
        let rules = sheet.split(separator: "@media (forced-colors: active)").dropFirst().joined()
        for word in ["[aria-selected=true]", "SelectedItem;", "SelectedItemText;"] {
            #expect(rules.contains(word))
        }
    }
}

extension String {
    fileprivate func components(between word: String) -> Int { ranges(of: word).count }
}
