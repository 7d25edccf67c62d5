// TabView: shows one of several views, selected by its name.
//
// Invariant  a tab that is not selected keeps its state, and is not evaluated.

internal import Observation

/// Shows one of several views, with a line of all their names above it.
///
/// ```swift
/// TabView(selection: $tab) {
///     Tab("Menu", value: .menu) { MenuScreen(model: model) }
///     Tab("Orders", value: .orders) { OrdersScreen(model: model) }
/// }
/// ```
///
/// Left, Right and a click select a name; Ctrl-T goes to the next tab wherever the focus is.
/// `TabView {}` is the place of the children on the parent router's `ChildTabs`, otherwise shown
/// below the body. Unlike in SwiftUI, the names are above the content.
public struct TabView<SelectionValue: Hashable>: View, Primitive {
    private let selection: Binding<SelectionValue>?
    private let tabs: [TabItem<SelectionValue>]

    /// - Parameters:
    ///   - selection: the selected tab's value; if no tab has it, the first one is shown.
    ///   - content: the tabs.
    public init(
        selection: Binding<SelectionValue>,
        @TabContentBuilder<SelectionValue> content: () -> [TabItem<SelectionValue>]
    ) {
        self.selection = selection
        tabs = content()
    }

    /// Creates a view that keeps its selection, at first the first tab.
    public init(
        @TabContentBuilder<Never> content: () -> [TabItem<Never>]
    ) where SelectionValue == Never {
        selection = nil
        tabs = content()
    }

    package func elements(in context: RenderContext) -> [RenderedElement] {
        guard !tabs.isEmpty else { return context.outlet(.tabs) }
        let memory = context.memory { TabMemory() }
        let index =
            tabs.firstIndex { tab in
                selection.map { tab.value == $0.wrappedValue } ?? (tab.place == memory.selected)
            } ?? 0
        if memory.selected == nil { memory.selected = tabs[index].place }
        for other in tabs.indices where other != index { context.keep(step(other)) }
        let select = { (index: Int) in
            memory.selected = tabs[index].place
            if let value = tabs[index].value { selection?.wrappedValue = value }
        }
        let strip = RenderedElement.tabs(tabs.map(\.title), selected: index, select: select)
        let content = tabs[index].content(context, step(index))
        guard tabs.count > 1 else { return [.stack(.vertical(spacing: 0), [strip] + content)] }
        let next = (index + 1) % tabs.count
        let key = KeyBinding(.control("t"), tabs[next].title) { select(next) }
        // The keys come last: keys of tabs inside come first.
        return [.stack(.vertical(spacing: 0), [strip] + content + [.keys([key])])]
    }

    private func step(_ index: Int) -> SiteStep {
        tabs[index].value.map { .value(AnyHashable($0), 0) }
            ?? .named(AnyHashable(tabs[index].place))
    }
}

/// A tab with the view to show while it is selected.
public struct Tab<Value: Hashable, Content: View>: View, Primitive {
    private let title: String
    private let value: Value?
    private let content: () -> Content

    /// - Parameters:
    ///   - title: the tab's name.
    ///   - value: the value that selects it.
    ///   - content: the view to show while it is selected.
    public init(_ title: String, value: Value, @ViewBuilder content: @escaping () -> Content) {
        self.title = title
        self.value = value
        self.content = content
    }

    /// Creates a tab of a view that keeps its selection.
    public init(
        _ title: String, @ViewBuilder content: @escaping () -> Content
    ) where Value == Never {
        self.title = title
        value = nil
        self.content = content
    }

    var item: TabItem<Value> {
        TabItem(title: title, value: value) { [content] context, step in
            context.render(content(), step)
        }
    }

    /// Outside a ``TabView``, the content is shown.
    package func elements(in context: RenderContext) -> [RenderedElement] {
        context.render(content(), .body)
    }
}

/// A tab of a ``TabView``, with its identity.
public struct TabItem<Value: Hashable> {
    let title: String
    let value: Value?
    let content: (RenderContext, SiteStep) -> [RenderedElement]
    /// The path to it within the braces: its identity, unless it has a value.
    fileprivate(set) var place: [SiteStep] = []

    fileprivate func placed(_ step: SiteStep) -> TabItem {
        var item = self
        item.place.insert(step, at: 0)
        return item
    }
}

/// Builds the tabs of a ``TabView``, with `if`, `for` and ``ForEach``.
@resultBuilder
public enum TabContentBuilder<Value: Hashable> {
    public static func buildExpression(_ tab: Tab<Value, some View>) -> [TabItem<Value>] {
        [tab.item]
    }
    public static func buildExpression<Data, ID, Content: View>(
        _ tabs: ForEach<Data, ID, Tab<Value, Content>>
    ) -> [TabItem<Value>] {
        tabs.views.map { $0.view.item.placed($0.step) }
    }
    public static func buildBlock(_ tabs: [TabItem<Value>]...) -> [TabItem<Value>] {
        buildArray(tabs)
    }
    public static func buildOptional(_ tabs: [TabItem<Value>]?) -> [TabItem<Value>] { tabs ?? [] }
    public static func buildEither(first tabs: [TabItem<Value>]) -> [TabItem<Value>] {
        tabs.map { $0.placed(.branch(true)) }
    }
    public static func buildEither(second tabs: [TabItem<Value>]) -> [TabItem<Value>] {
        tabs.map { $0.placed(.branch(false)) }
    }
    public static func buildArray(_ tabs: [[TabItem<Value>]]) -> [TabItem<Value>] {
        tabs.enumerated().flatMap { index, tabs in tabs.map { $0.placed(.member(index)) } }
    }
}

/// The selection, unless the view keeps it.
@Observable
private final class TabMemory: ElementMemory {
    static var outlivesWorker: Bool { true }
    var selected: [SiteStep]?
}
