// HTMLTests: the rendered tree is enough for another screen: a page of HTML, made here.

import NapkinElements
import Testing

/// Makes HTML of what is on a screen; keys and actions would be a script's.
private enum HTML {
    static func text(_ elements: [RenderedElement]) -> String { elements.map(text).joined() }

    private static func text(_ element: RenderedElement) -> String {
        switch element {
        case .text(let text): return "<p>\(text.lines.map(line).joined(separator: "<br>"))</p>"
        case .title(let title): return "<h1>\(escaped(title))</h1>"
        case .stack(let style, let members):
            return "<div\(attributes(style))>\(text(members))</div>"
        case .modified(.frame(let frame), let element):
            return "<div style=\"\(css(frame))\">\(text(element))</div>"
        case .modified(.priority(let priority), let element) where priority > 0:
            return "<div style=\"flex-shrink: 0\">\(text(element))</div>"
        case .spacer: return "<div class=\"spacer\"></div>"
        case .divider: return "<hr>"
        case .group(let title, let members):
            return "<fieldset><legend>\(line(title))</legend>\(text(members))</fieldset>"
        case .button(let button):
            let key = button.key.map { " accesskey=\"\($0.label)\"" } ?? ""
            let disabled = button.isEnabled ? "" : " disabled"
            return "<button\(key)\(disabled)>\(escaped(button.label))</button>"
        case .toggle(let toggle):
            let isOn = toggle.isOn.wrappedValue ? " checked" : ""
            return "<label><input type=\"checkbox\"\(isOn)>\(escaped(toggle.label))</label>"
        case .picker(let picker):
            let options = picker.options.enumerated().map { index, name in
                let selected = index == picker.selection.wrappedValue ? " selected" : ""
                return "<option\(selected)>\(escaped(name))</option>"
            }
            return "<select>\(options.joined())</select>"
        case .field(let field):
            let type = field.isSecure ? "password" : "text"
            return "<input type=\"\(type)\" placeholder=\"\(escaped(field.placeholder))\" "
                + "value=\"\(escaped(field.text))\">"
        case .list(let list):
            let rows = (0..<list.count).map { "<li>\(line(list.row($0)))</li>" }
            return "<ul role=\"listbox\">\(rows.joined())</ul>"
        case .table(let table):
            let heads = table.columns.map { "<th>\(escaped($0.title))</th>" }.joined()
            let rows = table.rows.map { row in
                "<tr>\(row.map { "<td>\(escaped($0))</td>" }.joined())</tr>"
            }
            return "<table><tr>\(heads)</tr>\(rows.joined())</table>"
        case .progress(let progress):
            let value = progress.fraction.map { " value=\"\($0)\"" } ?? ""
            return "<progress\(value)></progress>"
        case .tabs(let names, let selected, _):
            let tabs = names.enumerated().map { index, name in
                "<button role=\"tab\" aria-selected=\"\(index == selected)\">"
                    + "\(escaped(name))</button>"
            }
            return "<nav role=\"tablist\">\(tabs.joined())</nav>"
        case .scroll(_, let members):
            return "<div style=\"overflow: auto\">\(text(members))</div>"
        case .lines(let draw):
            return "<pre>\(draw(80, 24).map(line).joined(separator: "\n"))</pre>"
        case .modified(.labelled(let label), let element):
            return "<div aria-label=\"\(escaped(label))\">\(text(element))</div>"
        case .overlay(let title, _, let base, let content):
            return "<div inert>\(text(base))</div>"
                + "<dialog open><h2>\(escaped(title))</h2>\(text(content))</dialog>"
        default: return text(element.children)
        }
    }

    /// A stack's class, and where its members are; without a style at the start.
    private static func attributes(_ style: StackStyle) -> String {
        switch style {
        case .vertical(_, .leading): ""
        case .vertical(_, let alignment): " style=\"align-items: \(css(alignment))\""
        case .horizontal(_, _, .top), .flow: " class=\"row\""
        case .horizontal(_, _, let alignment):
            " class=\"row\" style=\"align-items: \(css(alignment))\""
        }
    }

    private static func css(_ alignment: HorizontalAlignment) -> String {
        alignment == .leading ? "start" : alignment == .center ? "center" : "end"
    }

    private static func css(_ alignment: VerticalAlignment) -> String {
        alignment == .top ? "start" : alignment == .center ? "center" : "end"
    }

    /// A frame in a browser's units of a cell and a line; all the room there is, is a part of it.
    private static func css(_ frame: ElementFrame) -> String {
        func most(_ length: FrameLength?, _ unit: String) -> String? {
            switch length {
            case .length(let length): "\(length)\(unit)"
            case .share, nil: nil
            }
        }
        let lengths: [(String, String?)] = [
            ("width", frame.width.map { "\($0)ch" }), ("height", frame.height.map { "\($0)lh" }),
            ("min-width", frame.minWidth.map { "\($0)ch" }),
            ("max-width", most(frame.maxWidth, "ch")),
            ("min-height", frame.minHeight.map { "\($0)lh" }),
            ("max-height", most(frame.maxHeight, "lh")),
        ]
        var rules = lengths.compactMap { name, value in value.map { "\(name): \($0)" } }
        for case .share(let parts) in [frame.maxWidth, frame.maxHeight] {
            rules.append("flex: \(parts)")
        }
        return
            (rules + [
                "display: grid", "justify-items: \(css(frame.alignment.horizontal))",
                "align-content: \(css(frame.alignment.vertical))",
            ]).joined(separator: "; ")
    }

    private static func line(_ line: StyledLine) -> String {
        line.spans.map { span in
            span.role == .plain
                ? escaped(span.text) : "<span class=\"\(span.role)\">\(escaped(span.text))</span>"
        }
        .joined()
    }

    private static func escaped(_ text: String) -> String {
        text.reduce(into: "") { result, character in
            switch character {
            case "<": result += "&lt;"
            case "&": result += "&amp;"
            case "\"": result += "&quot;"
            default: result.append(character)
            }
        }
    }
}

@Suite struct HTMLTests {
    private func html(_ view: some View) -> String {
        HTML.text(SiteRoot().evaluate(view, EnvironmentValues()).elements)
    }

    @Test func `a screen becomes a page`() {
        struct Order: View {
            @State private var name = "Joe & <Ann>"

            var body: some View {
                GroupBox("Order") {
                    (Text("for ") + Text("whom").foregroundStyle(.accent))
                    TextField("a name", text: $name)
                }
                HStack {
                    Button("Send") {}.keyboardShortcut("s")
                    Button("Never") {}.disabled(true)
                }
            }
        }
        #expect(
            html(Order().navigationTitle("Pit"))
                == "<h1>Pit</h1><fieldset><legend><span class=\"accent\">Order</span></legend>"
                + "<p>for <span class=\"accent\">whom</span></p>"
                + "<input type=\"text\" placeholder=\"a name\" value=\"Joe &amp; &lt;Ann>\">"
                + "</fieldset><div class=\"row\"><button accesskey=\"s\">Send</button>"
                + "<button disabled>Never</button></div>")
    }

    @Test func `frames and alignments are styles`() {
        let place = "display: grid; justify-items: "
        #expect(
            html(VStack(alignment: .center) { Text("a").frame(width: 4, alignment: .trailing) })
                == "<div style=\"align-items: center\"><div style=\"width: 4ch; \(place)end; "
                + "align-content: center\"><p>a</p></div></div>")
        #expect(
            html(HStack(alignment: .bottom) { Text("a").frame(maxWidth: .share(2), maxHeight: 3) })
                == "<div class=\"row\" style=\"align-items: end\"><div style=\"max-height: 3lh; "
                + "flex: 2; \(place)start; align-content: start\"><p>a</p></div></div>")
        #expect(html(HStack { Text("a").layoutPriority(1) }).contains("flex-shrink: 0"))
    }

    @Test func `every element has a form`() {
        let page = html(
            Group {
                Toggle("Spicy", isOn: .constant(true))
                Picker("done", selection: .constant("rare"), options: ["raw", "rare"])
                List(["Ribs", "Brisket"], id: \.self) { Text($0) }
                Table([TableColumn("DISH")], rows: [["Ribs"]])
                ProgressView(value: 0.5)
                Text("10").accessibilityLabel("ten pieces")
                Divider()
                TabView {
                    Tab("Menu") { ScrollView { Text("Ribs & more") } }
                    Tab("Orders") { Text("none") }
                }
                NavigationStack { NavigationLink("Hours") { Text("never") } }
                Lines { _, _ in ["▁▂"] }
            })
        for part in [
            "checked>Spicy", "<option selected>rare</option>", "<li>Brisket</li>",
            "<th>DISH</th></tr><tr><td>Ribs</td>", "value=\"0.5\"", "aria-label=\"ten pieces\"",
            "<hr>", "<button role=\"tab\" aria-selected=\"true\">Menu</button>",
            "<div style=\"overflow: auto\"><p>Ribs &amp; more</p></div>", "<button>Hours</button>",
            "<pre>▁▂</pre>",
        ] {
            #expect(page.contains(part), "\(part)")
        }
    }
}
