// PageRendering: renders elements as an HTML page, with their actions.
//
// Isolation  @MainActor; a value, created for each page.
//
// One case is one row of the table in the article *Views*. Covered elements are on the page, but
// inert.

import NapkinElements

/// The action of an element that a person uses.
enum PageTarget {
    case button(ButtonElement)
    case toggle(ToggleElement)
    case picker(PickerElement)
    case field(FieldElement)
    case list(ListElement)
    /// Rows before or after those on the page.
    case more(ListMemory, by: Int)
    case tabs(count: Int, select: (Int) -> Void)
    case sort((Int) -> Void, column: Int)
    case key(KeyBinding)
    case own(OwnElement)
    case console(ConsoleElement)
    /// Words to filter a list's rows by.
    case filter(ListElement, of: String)
}

@MainActor
struct PageRendering {
    /// Rows of a list on the page at once. Chosen: some screens of them.
    static let rowsMax = 200
    /// Rows of a table without a selection. Chosen: as in plain text, ``PlainInput``.
    static let tableRowsMax = 1000
    /// The size for custom lines: a terminal's.
    private static let drawnSize = (width: 72, height: 24)

    let names: ElementNames
    private let scripts: AppScripts
    private(set) var targets: [String: PageTarget] = [:]
    /// The elements whose views follow the focus, and may claim it.
    private(set) var focuses: [(id: String, isFocused: Binding<Bool>)] = []
    /// The keys shown by buttons on the page.
    private var shownKeys: Set<String> = []
    private var isCovered = false
    private var hasTitle = false
    /// The id of the uncovered dialog.
    private var dialog: String?
    /// The id of the list that a person is filtering.
    let filtered: String?

    init(_ names: ElementNames, _ scripts: AppScripts, filtering filtered: String? = nil) {
        self.names = names
        self.scripts = scripts
        self.filtered = filtered
    }

    /// Returns the page: the banner, the visible elements, the keys.
    mutating func page(_ page: RenderedPage, keys: [KeyBinding]) -> HTMLNode {
        names.begin()
        let banner = nodes(page.banner, "banner")
        let root = node(page.root, "page.0", ElementLabels()).map { [$0] } ?? []
        let keys = self.keys(keys)
        names.end()
        // A page needs a heading even if its view has no title.
        let title = HTMLNode(
            "h1", "title", ["class": "unseen"],
            .markup(HTMLNode.escaped(page.path.last ?? "Page")))
        var whole = HTMLNode(
            "div", "root", [:],
            .nodes([
                HTMLNode("div", "banner", [:], .nodes(banner)),
                HTMLNode(
                    "div", "page", [:], .nodes(way(page.path) + (hasTitle ? [] : [title]) + root)),
            ]))
        // Nothing beside a dialog can be reached.
        let nav = HTMLNode("nav", "keys", ["aria-label": "Keys"], .nodes(keys))
        whole.change(dialog ?? "root") { $0.content = .nodes($0.children + [nav]) }
        return whole
    }

    /// Returns the path to the page, if it lies over others.
    private func way(_ path: [String]) -> [HTMLNode] {
        guard path.count > 1 else { return [] }
        let words = path.dropLast().map(HTMLNode.escaped).joined(separator: " › ")
        return [HTMLNode("p", "way", ["class": "secondary"], .markup("\(words) ›"))]
    }

    /// Returns the keys without a button on the page; keys without a name work only on the
    /// keyboard.
    private mutating func keys(_ keys: [KeyBinding]) -> [HTMLNode] {
        var seen = shownKeys
        return keys.compactMap { binding in
            guard seen.insert(binding.key.label).inserted else { return nil }
            let id = names.unique("key-\(binding.key.label)")
            targets[id] = .key(binding)
            var attributes = binding.key.attributes
            attributes["type"] = "button"
            attributes["data-do"] = "press"
            attributes["data-label"] = binding.label
            if !binding.isNamed { attributes["hidden"] = "" }
            return HTMLNode(
                "button", id, attributes, .markup(binding.key.markup(before: binding.label)))
        }
    }

    mutating func register(_ id: String, _ target: PageTarget) {
        if !isCovered { targets[id] = target }
    }

    // MARK: - Elements

    mutating func nodes(_ elements: [RenderedElement], _ id: String) -> [HTMLNode] {
        elements.enumerated().compactMap { node($0.element, "\(id).\($0.offset)", ElementLabels()) }
    }

    private mutating func node(
        _ element: RenderedElement, _ id: String, _ labels: ElementLabels
    ) -> HTMLNode? {
        switch element {
        case .text(let text):
            let isHeading = element.role == .heading
            let lines = text.lines.map(\.markup).joined(separator: "<br>")
            return HTMLNode(isHeading ? "h2" : "p", id, labels.attributes, .markup(lines))
        case .title(let title):
            hasTitle = true
            return HTMLNode("h1", id, [:], .markup(HTMLNode.escaped(title)))
        case .stack(let style, let members):
            guard !members.isEmpty else { return nil }
            var attributes = FrameStyle.attributes(style)
            attributes.merge(labels.groupAttributes) { own, _ in own }
            return HTMLNode("div", id, attributes, .nodes(nodes(members, id)))
        case .spacer: return HTMLNode("div", id, ["class": "spacer"])
        case .divider: return HTMLNode("hr", id)
        case .group(let title, let members):
            let legend = HTMLNode("legend", "\(id).l", [:], .markup(title.markup))
            return HTMLNode(
                "fieldset", id, labels.attributes,
                .nodes((title.text.isEmpty ? [] : [legend]) + nodes(members, id)))
        case .button(let button): return self.button(button, id, labels)
        case .toggle(let toggle): return self.toggle(toggle, labels)
        case .picker(let picker): return self.picker(picker, labels)
        case .field(let field): return self.field(field, labels)
        case .list(let list): return self.list(list, labels)
        case .table(let table): return self.table(table, id, labels)
        case .progress(let progress): return progress.html(id, labels)
        case .console(let console): return self.console(console, labels)
        case .tabs(let names, let selected, let select):
            return tabs(names, selected, select, self.names.unique("\(id).tabs"))
        case .banner(let line):
            return HTMLNode("p", id, ["role": "alert", "class": "banner"], .markup(line.markup))
        case .lines(let draw):
            let lines = draw(Self.drawnSize.width, Self.drawnSize.height)
            var attributes = labels.attributes
            attributes["role"] = "img"
            return HTMLNode(
                "pre", id, attributes, .markup(lines.map(\.markup).joined(separator: "\n")))
        case .outlet: return nil
        case .scroll(_, let members):
            return HTMLNode(
                "div", id, ["class": "scroll", "tabindex": "0"], .nodes(nodes(members, id)))
        case .alternative(_, _, let members):
            guard !members.isEmpty else { return nil }
            return HTMLNode("div", id, ["class": "column"], .nodes(nodes(members, id)))
        case .own(let own, let members):
            if scripts.offer(own.script, as: own.name) { return self.own(own, labels) }
            return HTMLNode("div", id, ["class": "column"], .nodes(nodes(members, id)))
        case .modified(let modification, let inner):
            return modified(modification, inner, id, labels)
        case .overlay(let over, let base): return overlay(over, base, id)
        case .node(let number, let members):
            let id = names.unique("n\(number)")
            return HTMLNode("div", id, ["class": "column"], .nodes(nodes(members, id)))
        }
    }

    private mutating func modified(
        _ modification: Modification, _ element: RenderedElement, _ id: String,
        _ labels: ElementLabels
    ) -> HTMLNode? {
        var labels = labels
        switch modification {
        case .labelled(let label): labels.label = label
        case .named(let name): labels.name = name
        case .focused(let isFocused): labels.focus = isFocused
        case .keys: break
        case .comboBox: return node(element, id, labels)?.combined
        case .frame(let frame):
            let isShare = [frame.maxWidth, frame.maxHeight].contains { length in
                if case .share = length { true } else { false }
            }
            return boxed(
                element, id, labels,
                ["data-css": FrameStyle.css(frame), "class": isShare ? "share" : "frame"])
        case .padding(let insets):
            return boxed(element, id, labels, ["data-css": FrameStyle.css(insets)])
        case .border: return boxed(element, id, labels, ["class": "border"])
        case .priority(let priority):
            guard priority > 0 else { break }
            return boxed(element, id, labels, ["data-css": "flex-shrink: 0"])
        }
        return node(element, id, labels)
    }

    private mutating func boxed(
        _ element: RenderedElement, _ id: String, _ labels: ElementLabels,
        _ attributes: [String: String]
    ) -> HTMLNode {
        let inner = node(element, "\(id).0", labels)
        return HTMLNode("div", id, attributes, .nodes(inner.map { [$0] } ?? []))
    }

    private mutating func overlay(
        _ over: RenderTurn.Presentation, _ base: RenderedElement, _ id: String
    ) -> HTMLNode {
        let wasCovered = isCovered
        isCovered = true
        let below = node(base, "\(id).b.0", ElementLabels()).map { [$0] } ?? []
        isCovered = wasCovered
        let heading = HTMLNode("h2", "\(id).h", [:], .markup(HTMLNode.escaped(over.title)))
        // The page opens the uncovered one as a modal dialog.
        var attributes = ["aria-labelledby": "\(id).h"]
        if isCovered { attributes["open"] = "" }
        dialog = "\(id).d"
        return HTMLNode(
            "div", id, ["class": "overlay"],
            .nodes([
                HTMLNode("div", "\(id).b", ["inert": ""], .nodes(below)),
                HTMLNode(
                    "dialog", "\(id).d", attributes,
                    .nodes([heading] + nodes(over.elements, "\(id).d"))),
            ]))
    }

    // MARK: - Controls

    /// Registers an element's action, unless it is disabled or covered.
    mutating func control(
        _ id: String, _ target: PageTarget, isEnabled: Bool, _ labels: ElementLabels
    ) -> [String: String] {
        var attributes = labels.attributes
        // Restores a person's text after the page has been reloaded.
        attributes["data-name"] = labels.name ?? labels.label
        guard isEnabled else {
            attributes["disabled"] = ""
            return attributes
        }
        register(id, target)
        if let focus = labels.focus, !isCovered { focuses.append((id, focus)) }
        return attributes
    }

    private mutating func button(
        _ button: ButtonElement, _ place: String, _ labels: ElementLabels
    ) -> HTMLNode {
        let id = button.site.map(names.name) ?? names.unique("\(place).button")
        var attributes = control(id, .button(button), isEnabled: button.isEnabled, labels)
        attributes["type"] = "button"
        attributes["data-do"] = "press"
        attributes["data-label"] = button.label
        var markup = HTMLNode.escaped(button.label)
        if let key = button.key {
            attributes.merge(key.attributes) { own, _ in own }
            markup = key.markup(before: button.label)
            if button.isEnabled, !isCovered { shownKeys.insert(key.label) }
        }
        return HTMLNode("button", id, attributes, .markup(markup))
    }

    private mutating func own(_ own: OwnElement, _ labels: ElementLabels) -> HTMLNode {
        let id = names.name(of: own.site)
        var attributes = control(id, .own(own), isEnabled: own.isEnabled, labels)
        attributes.merge(labels.groupAttributes) { $1 }
        attributes["data-do"] = "own"
        attributes["data-script"] = AppScripts.path(of: own.name)
        attributes["data-values"] = own.values
        return HTMLNode(own.name, id, attributes)
    }

    private mutating func toggle(_ toggle: ToggleElement, _ labels: ElementLabels) -> HTMLNode {
        let id = names.name(of: toggle.site)
        var attributes = control(id, .toggle(toggle), isEnabled: toggle.isEnabled, labels)
        attributes["type"] = "checkbox"
        attributes["data-do"] = "toggle"
        if toggle.isOn.wrappedValue { attributes["checked"] = "" }
        let text = HTMLNode("span", "\(id).t", [:], .markup(HTMLNode.escaped(toggle.label)))
        return HTMLNode("label", "\(id).w", [:], .nodes([HTMLNode("input", id, attributes), text]))
    }

    private mutating func picker(_ picker: PickerElement, _ labels: ElementLabels) -> HTMLNode {
        let id = names.name(of: picker.site)
        var attributes = control(id, .picker(picker), isEnabled: picker.isEnabled, labels)
        attributes["data-do"] = "pick"
        if labels.label == nil, !picker.label.isEmpty { attributes["aria-label"] = picker.label }
        let selected = picker.selection.wrappedValue
        let options = picker.options.enumerated().map { index, name in
            var own = ["value": "\(index)"]
            if index == selected { own["selected"] = "" }
            return HTMLNode("option", "\(id).\(index)", own, .markup(HTMLNode.escaped(name)))
        }
        return HTMLNode("select", id, attributes, .nodes(options))
    }

    private mutating func field(_ field: FieldElement, _ labels: ElementLabels) -> HTMLNode {
        let id = names.name(of: field.memory)
        var attributes = control(id, .field(field), isEnabled: field.isEnabled, labels)
        attributes["type"] = field.isSecure ? "password" : "text"
        attributes["placeholder"] = field.placeholder
        attributes["value"] = field.text
        attributes["autocomplete"] = "off"
        attributes["data-do"] = "text"
        let name = [labels.label, field.placeholder, labels.name].compactMap(\.self)
            .first { !$0.isEmpty }
        attributes["aria-label"] = name ?? "text"
        var nodes = [HTMLNode("input", id, attributes)]
        if let problem = field.problem {
            nodes[0]["aria-invalid"] = "true"
            nodes[0]["aria-describedby"] = "\(id).p"
            nodes.append(
                HTMLNode(
                    "p", "\(id).p", ["class": "error", "role": "alert"],
                    .markup(HTMLNode.escaped(problem))))
        }
        return HTMLNode("div", "\(id).w", ["class": "field"], .nodes(nodes))
    }
}
