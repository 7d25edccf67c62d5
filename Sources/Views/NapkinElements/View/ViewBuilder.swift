// ViewBuilder: builds a body from consecutive views, with `if`, `switch` and `let`.
//
// Invariant  each view has a fixed place: a view that an `if` omits moves none of its neighbours.

/// Builds a body, or the content of a container's braces.
@resultBuilder
public enum ViewBuilder {
    public static func buildExpression<Content: View>(_ content: Content) -> Content { content }
    public static func buildBlock() -> EmptyView { EmptyView() }
    public static func buildBlock<Content: View>(_ content: Content) -> Content { content }
    public static func buildBlock<each Content: View>(
        _ content: repeat each Content
    ) -> TupleView<repeat each Content> {
        TupleView(repeat each content)
    }
    public static func buildIf<Content: View>(_ content: Content?) -> Content? { content }
    public static func buildEither<First: View, Second: View>(
        first: First
    ) -> ConditionalView<First, Second> { .first(first) }
    public static func buildEither<First: View, Second: View>(
        second: Second
    ) -> ConditionalView<First, Second> { .second(second) }
    public static func buildLimitedAvailability(_ content: some View) -> AnyView {
        AnyView(content)
    }
}

/// A view that shows nothing.
public struct EmptyView: View, Primitive {
    public init() {}

    package func elements(in context: RenderContext) -> [RenderedElement] { [] }
}

/// Consecutive views in braces.
public struct TupleView<each Content: View>: View, Primitive {
    private let content: (repeat each Content)

    init(_ content: repeat each Content) { self.content = (repeat each content) }

    package func elements(in context: RenderContext) -> [RenderedElement] {
        var elements: [RenderedElement] = []
        var index = 0
        for member in repeat each content {
            elements += context.render(member, .member(index))
            index += 1
        }
        return elements
    }
}

/// One of two views, for `if` and `switch`.
public enum ConditionalView<First: View, Second: View>: View, Primitive {
    case first(First)
    case second(Second)

    package func elements(in context: RenderContext) -> [RenderedElement] {
        switch self {
        case .first(let view): context.render(view, .branch(true))
        case .second(let view): context.render(view, .branch(false))
        }
    }
}

extension Optional: View, Primitive where Wrapped: View {
    package func elements(in context: RenderContext) -> [RenderedElement] {
        map { context.render($0, .body) } ?? []
    }
}

/// Views for each of many values. A value's view keeps its state wherever the value moves.
public struct ForEach<Data: RandomAccessCollection, ID: Hashable, Content: View>: View, Primitive {
    private let data: Data
    private let id: (Data.Element) -> ID
    private let content: (Data.Element) -> Content

    /// - Parameters:
    ///   - data: the values.
    ///   - id: identifies a value.
    ///   - content: a value's views.
    public init(
        _ data: Data, id: KeyPath<Data.Element, ID>,
        @ViewBuilder content: @escaping (Data.Element) -> Content
    ) {
        self.data = data
        self.id = { $0[keyPath: id] }
        self.content = content
    }

    public init(
        _ data: Data, @ViewBuilder content: @escaping (Data.Element) -> Content
    ) where Data.Element: Identifiable, ID == Data.Element.ID {
        self.data = data
        id = { $0.id }
        self.content = content
    }

    var views: [(step: SiteStep, view: Content)] {
        var counts: [ID: Int] = [:]
        return data.map { value in
            let id = id(value)
            // Two values with equal ids still have a view each.
            let count = counts[id, default: 0]
            counts[id] = count + 1
            return (.value(id, count), content(value))
        }
    }

    package func elements(in context: RenderContext) -> [RenderedElement] {
        views.flatMap { context.render($0.view, $0.step) }
    }
}

extension ForEach {
    /// Creates views that may change the values of a binding: `ForEach($items) { $item in … }`.
    ///
    /// A binding to a removed value changes nothing.
    public init<Values: MutableCollection & RandomAccessCollection>(
        _ data: Binding<Values>,
        @ViewBuilder content: @escaping (Binding<Values.Element>) -> Content
    )
    where
        Values.Element: Identifiable, Data == [Binding<Values.Element>], ID == Values.Element.ID
    {
        self.data = data.wrappedValue.indices.map { index in
            let value = data.wrappedValue[index]
            // The value has usually not moved.
            func place(in now: Values) -> Values.Index? {
                if now.indices.contains(index), now[index].id == value.id { return index }
                return now.firstIndex { $0.id == value.id }
            }
            return Binding(
                get: { place(in: data.wrappedValue).map { data.wrappedValue[$0] } ?? value },
                set: { new in
                    if let place = place(in: data.wrappedValue) { data.wrappedValue[place] = new }
                })
        }
        id = { $0.wrappedValue.id }
        self.content = content
    }
}

extension ForEach where Data == Range<Int>, ID == Int {
    public init(_ data: Range<Int>, @ViewBuilder content: @escaping (Int) -> Content) {
        self.data = data
        id = { $0 }
        self.content = content
    }
}
