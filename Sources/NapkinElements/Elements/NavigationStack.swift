// NavigationStack: pages over one another that a view has itself, without its worker.
//
// Isolation  @MainActor; values. The pages are kept by the view, or in a memory at the site.
// Invariant  a covered page is evaluated and keeps its state, and its tasks have ended.

internal import Observation

/// A view with pages that it pushes itself: a link leads to one, Escape back.
///
/// ```swift
/// NavigationStack {
///     NavigationLink("Opening hours") { HoursScreen() }
/// }
/// ```
///
/// With a path, the view reads and writes which pages there are:
///
/// ```swift
/// NavigationStack(path: $path) {
///     List(dishes, id: \.self) { Text($0.name) } primaryAction: { path.append($0) }
///         .navigationDestination(for: Dish.self) { DishScreen(dish: $0) }
/// }
/// ```
///
/// Pages that belong to the session are children of a `ChildStack` of the view's router. They come
/// into the first stack of the view's body that is seen, over its own pages; without one they cover
/// the whole view.
///
/// Unlike in SwiftUI, a title is a line of the page, or of the path above the screen.
public struct NavigationStack<Root: View>: View, Primitive {
    public typealias Body = Never
    private let path: NavigationRun.Path?
    private let root: Root

    /// Creates a stack that keeps its pages itself.
    public init(@ViewBuilder root: () -> Root) {
        path = nil
        self.root = root()
    }

    /// - Parameters:
    ///   - path: the values of the pages over the first one.
    ///   - root: the first page.
    public init<Value: Hashable>(path: Binding<[Value]>, @ViewBuilder root: () -> Root) {
        self.path = NavigationRun.Path(
            values: { path.wrappedValue.map { AnyHashable($0) } },
            append: { value in
                guard let value = value.base as? Value else { return false }
                path.wrappedValue.append(value)
                return true
            }, keep: { path.wrappedValue.removeLast(path.wrappedValue.count - $0) })
        self.root = root()
    }

    /// - Parameters:
    ///   - path: the values of the pages over the first one, of any types.
    ///   - root: the first page.
    public init(path: Binding<NavigationPath>, @ViewBuilder root: () -> Root) {
        self.path = NavigationRun.Path(
            values: { path.wrappedValue.values },
            append: { value in
                path.wrappedValue.values.append(value)
                return true
            }, keep: { path.wrappedValue.removeLast(path.wrappedValue.count - $0) })
        self.root = root()
    }

    package func elements(in context: RenderContext) -> [RenderedElement] {
        let memory = context.memory { NavigationMemory() }
        let run = NavigationRun(memory, path)
        let turn = context.turn
        let showsChild = context.environment.pushed?.isShown(by: memory) ?? false
        var inner = context
        inner.environment.navigation = run
        inner.environment.pushed = nil
        let before = turn.title
        turn.title = nil
        var elements = inner.render(root, .body)
        let title = turn.title
        inner.environment.dismiss = DismissAction { run.pop() }
        var step = Step.body
        var depth = 0
        while depth < run.pages.count {
            let page = run.pages[depth]
            guard let content = run.content(of: page) else {
                run.keep(depth)
                break
            }
            context.keep(step)
            step = .value(AnyHashable(page), depth)
            turn.title = nil
            elements = content(inner, step)
            turn.pages.append(RenderTurn.Page(id: AnyHashable(page), title: turn.title))
            depth += 1
        }
        turn.title = title ?? before
        if showsChild {
            context.keep(step)
            turn.showsChild = true
            return [.place(.pushed)]
        }
        if depth > 0 { elements = elements.leaving("Back") { run.pop() } }
        return [.stack(.vertical(spacing: 0), elements)]
    }
}

/// The values of a stack's pages, of any types.
public struct NavigationPath: Equatable {
    fileprivate var values: [AnyHashable] = []

    public init() {}

    public var count: Int { values.count }
    public var isEmpty: Bool { values.isEmpty }
    public mutating func append(_ value: some Hashable) { values.append(AnyHashable(value)) }
    public mutating func removeLast(_ count: Int = 1) { values.removeLast(count) }
}

/// A button that leads to a page of the ``NavigationStack`` around it; disabled without one.
///
/// Its label is a text. In a ``List``, whose rows are texts, append to the stack's path instead.
public struct NavigationLink<Destination: View>: View, Primitive {
    public typealias Body = Never
    private let label: String
    private let destination: (() -> Destination)?
    private let value: AnyHashable?

    /// - Parameters:
    ///   - label: the link's text.
    ///   - destination: the page.
    public init(_ label: String, @ViewBuilder destination: @escaping () -> Destination) {
        self.label = label
        self.destination = destination
        value = nil
    }

    /// - Parameters:
    ///   - label: the link's text.
    ///   - value: what ``View/navigationDestination(for:destination:)`` makes the page of.
    public init(_ label: String, value: some Hashable) where Destination == Never {
        self.label = label
        destination = nil
        self.value = AnyHashable(value)
    }

    package func elements(in context: RenderContext) -> [RenderedElement] {
        let run = context.environment.navigation
        let id = ObjectIdentifier(context.memory { LinkMemory() })
        if let destination {
            run?.links[id] = { $0.render(destination(), $1) }
        }
        let page = value.map { NavigationMemory.Page.value($0) } ?? .link(id)
        return [
            .button(
                ButtonElement(
                    label: label, role: .action,
                    isEnabled: context.environment.isEnabled && run != nil,
                    action: { run?.push(page) }))
        ]
    }
}

extension View {
    /// Returns the view with the page for values of a type, wherever a link or a path leads to one.
    public func navigationDestination<Value: Hashable>(
        for type: Value.Type, @ViewBuilder destination: @escaping (Value) -> some View
    ) -> some View {
        ModifiedView(
            content: self,
            after: { elements, context in
                context.environment.navigation?.destinations[ObjectIdentifier(type)] = { value in
                    (value.base as? Value).map { value in { $0.render(destination(value), $1) } }
                }
                return elements
            })
    }

    /// Returns the view with a page that covers the stack while `isPresented` is true.
    public func navigationDestination(
        isPresented: Binding<Bool>, @ViewBuilder destination: @escaping () -> some View
    ) -> some View {
        ModifiedView(
            content: self,
            after: { elements, context in
                let id = ObjectIdentifier(context.memory { LinkMemory() })
                context.environment.navigation?.present(id, isPresented) {
                    $0.render(destination(), $1)
                }
                return elements
            })
    }
}

/// The pages that a stack keeps itself.
@Observable
final class NavigationMemory: ElementMemory {
    /// A page over the first one.
    enum Page: Hashable {
        case link(ObjectIdentifier)
        case value(AnyHashable)
    }

    static var outlivesWorker: Bool { true }
    fileprivate(set) var pages: [Page] = []
}

/// Is a link's identity while it is there.
private final class LinkMemory: ElementMemory {
    static var outlivesWorker: Bool { true }
}

private enum NavigationKey: EnvironmentKey {
    static let defaultValue: NavigationRun? = nil
}

extension EnvironmentValues {
    var navigation: NavigationRun? {
        get { self[NavigationKey.self] }
        set { self[NavigationKey.self] = newValue }
    }
}

/// One evaluation of a stack: what its pages lead to.
final class NavigationRun {
    /// The values that the view keeps.
    struct Path {
        let values: () -> [AnyHashable]
        let append: (AnyHashable) -> Bool
        /// Keeps so many of the first ones.
        let keep: (Int) -> Void
    }

    typealias Content = (RenderContext, Step) -> [RenderedElement]
    fileprivate var links: [ObjectIdentifier: Content] = [:]
    fileprivate var destinations: [ObjectIdentifier: (AnyHashable) -> Content?] = [:]
    private var presented: [ObjectIdentifier: Binding<Bool>] = [:]
    private let memory: NavigationMemory
    private let path: Path?

    fileprivate init(_ memory: NavigationMemory, _ path: Path?) {
        self.memory = memory
        self.path = path
    }

    /// The pages, the path's first.
    var pages: [NavigationMemory.Page] {
        (path?.values() ?? []).map { .value($0) } + memory.pages
    }

    fileprivate func content(of page: NavigationMemory.Page) -> Content? {
        switch page {
        case .link(let id): return links[id]
        case .value(let value):
            let type = Swift.type(of: value.base)
            return destinations[ObjectIdentifier(type)]?(value)
                ?? { $0.render(Text("There is no page for \(type).").foregroundStyle(.error), $1) }
        }
    }

    fileprivate func push(_ page: NavigationMemory.Page) {
        if case .value(let value) = page, let path, memory.pages.isEmpty, path.append(value) {
            return
        }
        memory.pages.append(page)
    }

    fileprivate func present(
        _ id: ObjectIdentifier, _ isPresented: Binding<Bool>, _ content: @escaping Content
    ) {
        links[id] = content
        presented[id] = isPresented
        let index = memory.pages.firstIndex(of: .link(id))
        if isPresented.wrappedValue, index == nil { memory.pages.append(.link(id)) }
        if !isPresented.wrappedValue, let index { memory.pages.removeSubrange(index...) }
    }

    func pop() { keep(pages.count - 1) }

    /// Removes all but so many pages.
    fileprivate func keep(_ count: Int) {
        let own = max(0, count - (pages.count - memory.pages.count))
        for case .link(let id) in memory.pages.dropFirst(own) {
            presented[id]?.wrappedValue = false
        }
        if memory.pages.count > own { memory.pages.removeSubrange(own...) }
        if pages.count > count { path?.keep(max(0, count)) }
    }
}
