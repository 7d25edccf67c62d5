// Modifiers: modifiers of any view: padding, border, name, keys, title, banner.

/// A view whose environment or elements are changed.
struct ModifiedView<Content: View>: View, Primitive {
    let content: Content
    var before: (inout EnvironmentValues) -> Void = { _ in }
    var after: ([RenderedElement], RenderContext) -> [RenderedElement] = { elements, _ in elements }

    func elements(in context: RenderContext) -> [RenderedElement] {
        var inner = context
        before(&inner.environment)
        return after(inner.render(content, .body), context)
    }
}

extension View {
    func modified(_ change: @escaping (RenderedElement) -> RenderedElement) -> some View {
        ModifiedView(content: self, after: { elements, _ in elements.map(change) })
    }

    /// Returns the view with a closure that runs in each of its evaluations.
    func evaluating(_ step: @escaping (RenderContext) -> Void) -> some View {
        ModifiedView(
            content: self,
            after: { elements, context in
                step(context)
                return elements
            })
    }

    /// Returns the view with empty lines above and below it, or cells before and after it: by
    /// default one line, or two cells.
    ///
    /// If room is short, the lines are dropped first. Plain text has no padding.
    public func padding(_ edges: Edge.Set = .all, _ length: Int? = nil) -> some View {
        let insets = Insets(
            top: edges.contains(.top) ? max(0, length ?? 1) : 0,
            leading: edges.contains(.leading) ? max(0, length ?? 2) : 0,
            bottom: edges.contains(.bottom) ? max(0, length ?? 1) : 0,
            trailing: edges.contains(.trailing) ? max(0, length ?? 2) : 0)
        return modified { .modified(.padding(insets), $0) }
    }

    /// Returns the view with a border around it.
    public func border() -> some View { modified { .modified(.border, $0) } }

    /// Returns the view with a name, which identifies its focus and gives it separate state for
    /// each name.
    public func id(_ name: some Hashable) -> some View {
        ModifiedView(
            content: Identified(content: self, id: name),
            after: { elements, _ in elements.map { .modified(.named("\(name)"), $0) } })
    }

    /// Returns the view with a label for people who do not see it.
    public func accessibilityLabel(_ label: String) -> some View {
        modified { .modified(.labelled(label), $0) }
    }

    /// Returns the view with keys that work while it is visible; the screen names them.
    public func keyBindings(_ keys: [KeyBinding]) -> some View {
        ModifiedView(
            content: self,
            after: { elements, _ in
                [.modified(.keys(keys), .stack(.vertical(spacing: 0), elements))]
            })
    }

    /// Returns the view with a title: the first line of its page, unless a path above the screen
    /// shows it. If a page has several, the outermost counts.
    public func navigationTitle(_ title: String) -> some View {
        evaluating { $0.turn.title = title }
    }

    /// Returns the view with content at the top of the screen, whatever covers the view: pushed
    /// pages, a modal, another tab.
    ///
    /// It is text: nothing in it can be focused or clicked, but its buttons' keys work everywhere.
    /// All banners together take at most three lines.
    public func banner(@ViewBuilder content: @escaping () -> some View) -> some View {
        evaluating { context in
            let banner = context.memory { BannerMemory() }.page
            banner.view = Later(content: content)
            banner.environment = context.environment
            context.turn.banner = banner
        }
    }
}

/// A view that is created when it is evaluated.
private struct Later<Content: View>: View {
    let content: () -> Content

    var body: some View { content() }
}

/// A view's banner, with state that outlasts an evaluation of the view.
private final class BannerMemory: ElementMemory {
    static var outlivesWorker: Bool { true }
    let page = StandalonePage(EmptyView())
}

/// A view with separate state for each name.
private struct Identified<Content: View, ID: Hashable>: View, Primitive {
    let content: Content
    let id: ID

    func elements(in context: RenderContext) -> [RenderedElement] {
        context.render(content, .named(id))
    }
}

/// A side of an element.
public nonisolated enum Edge: Sendable {
    /// Several sides.
    public struct Set: OptionSet, Sendable {
        public let rawValue: Int

        public init(rawValue: Int) { self.rawValue = rawValue }

        public static let top = Set(rawValue: 1)
        public static let leading = Set(rawValue: 2)
        public static let bottom = Set(rawValue: 4)
        public static let trailing = Set(rawValue: 8)
        public static let horizontal: Set = [.leading, .trailing]
        public static let vertical: Set = [.top, .bottom]
        public static let all: Set = [.horizontal, .vertical]
    }
}
