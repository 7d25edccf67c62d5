// RenderedElement: a screen's content, as a value that is independent of the kind of screen.
//
// One case is one row of the table in the article *Views*: how it looks in cells, as plain text and
// as HTML, which keys it takes, and its accessible role.

package import NapkinCore

package indirect enum RenderedElement {
    case text(Text)
    /// A view's title, omitted if a path above the screen shows it.
    case title(String)
    case stack(StackStyle, [RenderedElement])
    /// Fills the remaining room.
    case spacer
    case divider
    case group(StyledLine, [RenderedElement])
    case button(ButtonElement)
    case toggle(ToggleElement)
    case picker(PickerElement)
    case field(FieldElement)
    case list(ListElement)
    case table(TableElement)
    case progress(ProgressElement)
    /// A program's terminal.
    case console(ConsoleElement)
    case tabs([String], selected: Int, select: (Int) -> Void)
    /// A line over the whole width that must not be missed.
    case banner(StyledLine)
    case lines((_ width: Int, _ height: Int) -> [StyledLine])
    /// The outlet for children in the session's tree, until the children are inserted.
    case outlet(ChildOutlet)
    case scroll(ScrollElement, [RenderedElement])
    /// Elements that plain text replaces by a text.
    case alternative(plain: [StyledLine], plainKeys: [KeyBinding], [RenderedElement])
    /// An app's own element on a browser's page, and the elements shown everywhere else.
    case own(OwnElement, [RenderedElement])
    case modified(Modification, RenderedElement)
    case overlay(RenderTurn.Presentation, over: RenderedElement)
    case node(UInt32, [RenderedElement])
}

/// The children at an outlet of their parent's view.
package nonisolated enum ChildOutlet: Equatable, Sendable {
    case embedded(FeatureID, slot: String?)
    /// The children that are tabs, one of them visible.
    case tabs
}

/// How a stack lays out its members.
package enum StackStyle: Equatable {
    /// Stacked, with this many lines between them.
    case vertical(spacing: Int, alignment: HorizontalAlignment = .leading)
    /// Side by side, with this many cells between them; stacked on narrower screens.
    case horizontal(spacing: Int, stackedBelow: Int, alignment: VerticalAlignment = .top)
    /// Side by side, in as many lines as they need.
    case flow(spacing: Int)
}

/// A modifier, which leaves an element's kind unchanged.
package enum Modification {
    case frame(ElementFrame)
    case padding(Insets)
    /// The name that identifies its focus.
    case named(String)
    case focused(Binding<Bool>)
    /// A label for people who do not see it.
    case labelled(String)
    case border
    /// The priority for room in a stack: the highest is offered its room first.
    case priority(Double)
    /// Keys that work while it is on the screen.
    case keys([KeyBinding])
    /// Typing in the field inside selects in the list inside.
    case comboBox
}

/// Room around an element: lines above and below, cells before and after.
package nonisolated struct Insets: Equatable, Sendable {
    package var top = 0
    package var leading = 0
    package var bottom = 0
    package var trailing = 0
}

package struct ButtonElement {
    package let label: String
    package var key: Key?
    package let role: KeyBinding.Role
    package let isEnabled: Bool
    package let action: () -> Void
    /// Its identity, independent of its place.
    package var site: Site?
}

package struct ToggleElement {
    package let label: String
    package let isOn: Binding<Bool>
    package let isEnabled: Bool
    package let site: Site
}

package struct PickerElement {
    package let label: String
    package let options: [String]
    /// The index of the selected option.
    package let selection: Binding<Int>
    package let isEnabled: Bool
    package let site: Site
}

package struct FieldElement {
    package let placeholder: String
    /// The error in the text.
    package let problem: String?
    package let isSecure: Bool
    package let isEnabled: Bool
    package let memory: FieldMemory
    package let write: () -> Void
    package let submit: (() -> Void)?

    package var text: String { memory.text }

    /// Replaces the text, as a person would. Returns whether it fits.
    package func fill(_ text: String) -> Bool {
        _ = memory.press(.end)
        _ = memory.press(.control("u"))
        let fits = memory.insert(text)
        write()
        return fits
    }
}

/// Lines, one of them selected. Only the visible ones are created.
package struct ListElement {
    package let count: Int
    package let row: (Int) -> StyledLine
    /// A dimmed text after an item's, if there is room for all of it.
    package let aside: ((Int) -> String)?
    package let isEnabled: Bool
    /// Whether its end is shown first.
    package let follows: Bool
    package let memory: ListMemory
    /// Returns the index among all items of a shown item.
    package let item: (Int) -> Int
    package let select: (Int) -> Void
    /// Receives the selected item on Enter or a second click.
    package let choose: ((Int) -> Void)?
    package let press: (Key, Int) -> Bool
}

/// Rows in columns, with a heading; with a list's selection, if it has one.
package struct TableElement {
    package let columns: [TableColumn]
    package let rows: [[String]]
    /// The current sort order, if the rows can be sorted.
    package var sort: TableSort?
    /// Receives the column by which a person wants to sort.
    package var sortBy: ((Int) -> Void)?
    package let list: ListElement?
}

package struct ScrollElement {
    package let memory: ScrollMemory
}

package struct ProgressElement {
    package let label: String
    /// From 0 to 1; `nil` if unknown.
    package let fraction: Double?
    /// Counts up while the work continues.
    package let phase: Int
}

extension RenderedElement {
    package var children: [RenderedElement] {
        switch self {
        case .stack(_, let members), .group(_, let members), .alternative(_, _, let members),
            .node(_, let members), .scroll(_, let members), .own(_, let members):
            members
        case .modified(_, let element): [element]
        case .overlay(let over, let base): [base] + over.elements
        default: []
        }
    }

    package func mapped(_ change: ([RenderedElement]) -> [RenderedElement]) -> RenderedElement {
        switch self {
        case .stack(let style, let members): .stack(style, change(members))
        case .group(let title, let members): .group(title, change(members))
        case .alternative(let plain, let keys, let members):
            .alternative(plain: plain, plainKeys: keys, change(members))
        case .own(let own, let members): .own(own, change(members))
        case .node(let id, let members): .node(id, change(members))
        case .scroll(let scroll, let members): .scroll(scroll, change(members))
        case .modified(let modification, let element):
            change([element]).first.map { .modified(modification, $0) }
                ?? .stack(.vertical(spacing: 0), [])
        default: self
        }
    }

    /// The keys that work while the element is on the screen, focused or not; keys of inner nodes
    /// come first. Covered elements have none.
    package func keys(isLinear: Bool = false) -> [KeyBinding] { [self].keys(isLinear: isLinear) }

    /// Adds the lower-case labels of the enabled keys of each inner node, without those of its
    /// children.
    func collectLabels(_ labels: inout [UInt32: Set<String>]) {
        var members = children
        switch self {
        case .node(let id, _):
            var (own, inner): ([KeyBinding], [KeyBinding]) = ([], [])
            for member in members { member.collect(&own, &inner, isLinear: false) }
            labels[id, default: []].formUnion(own.map { $0.label.lowercased() })
        case .overlay(let over, _): members = over.elements
        default: break
        }
        for member in members { member.collectLabels(&labels) }
    }

    /// Returns an element that has only keys, with lower precedence than elements before it.
    static func keys(_ keys: [KeyBinding]) -> RenderedElement {
        .modified(.keys(keys), .stack(.vertical(spacing: 0), []))
    }

    /// Returns the element with a presentation over it: a sheet, an alert, a modal child, a dialog.
    func below(_ over: RenderTurn.Presentation) -> RenderedElement {
        .overlay(over, over: self)
    }

    fileprivate func collect(
        _ own: inout [KeyBinding], _ inner: inout [KeyBinding], isLinear: Bool
    ) {
        var members = children
        switch self {
        case .button(let button):
            guard let key = button.key, button.isEnabled else { return }
            own.append(KeyBinding(key, button.label, role: button.role, action: button.action))
        case .alternative(_, let keys, _) where isLinear:
            own += keys
            return
        case .node:
            inner += members.keys(isLinear: isLinear)
            return
        case .overlay(let over, _): members = over.elements
        default: break
        }
        for member in members { member.collect(&own, &inner, isLinear: isLinear) }
        if case .modified(.keys(let keys), _) = self { own += keys }
    }
}

extension [RenderedElement] {
    package func keys(isLinear: Bool = false) -> [KeyBinding] {
        var (own, inner): ([KeyBinding], [KeyBinding]) = ([], [])
        for element in self { element.collect(&own, &inner, isLinear: isLinear) }
        return inner + own
    }

    /// Returns the elements with a key to leave, unless they already have one.
    func leaving(
        _ label: String, isLinear: Bool = false, _ leave: @escaping () -> Void
    ) -> [RenderedElement] {
        let leaves = keys(isLinear: isLinear).contains { $0.role == .cancel || $0.key == .escape }
        guard !leaves else { return self }
        var key = KeyBinding(.escape, label, role: .cancel, action: leave)
        key.leavesPage = true
        return self + [.keys([key])]
    }

    func below(_ presentations: [RenderTurn.Presentation]) -> [RenderedElement] {
        guard !presentations.isEmpty else { return self }
        return [presentations.reduce(.stack(.vertical(spacing: 0), self)) { $0.below($1) }]
    }

    /// The texts, from top to bottom, each in a line.
    package var texts: [String] {
        flatMap { element -> [String] in
            if case .text(let text) = element { return [text.line.text] }
            return element.children.texts
        }
    }

    /// Returns the elements, replacing those for which `content` returns others.
    package func placing(_ content: (RenderedElement) -> [RenderedElement]?) -> [RenderedElement] {
        flatMap { element -> [RenderedElement] in
            if let placed = content(element) { return placed }
            if case .modified(let modification, let inner) = element {
                return [inner].placing(content).map { .modified(modification, $0) }
            }
            return [element.mapped { $0.placing(content) }]
        }
    }
}
