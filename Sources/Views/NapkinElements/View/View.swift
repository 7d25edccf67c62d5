// View: a piece of a screen as a value, which says what it consists of.
//
// Isolation  @MainActor, wholly.
// Ownership  values, made for each evaluation; what lasts is in `@State` and in presenters.
// Spec       SwiftUI's View: names and meanings are its own, as far as a screen of ours has them.

/// A piece of a screen.
///
/// A view is a value. It describes what it shows in its `body`, and keeps nothing that lasts but in
/// ``State`` and in the `@Observable` presenter that it has been given:
///
/// ```swift
/// struct OrderScreen: View {
///     let model: OrderModel
///     @State private var name = ""
///
///     var body: some View {
///         Text("What will it be?").bold()
///         TextField("for whom", text: $name)
///         List(model.menu, id: \.self) { Text($0) } primaryAction: { model.order($0, for: name) }
///     }
/// }
/// ```
///
/// When something changes that the last evaluation has read, the view is evaluated and drawn again,
/// once in a turn of the loop. What was not read causes neither.
@MainActor
public protocol View {
    associatedtype Body: View
    /// What the view consists of, from top to bottom.
    @ViewBuilder var body: Body { get }
}

extension Never: View {
    public typealias Body = Never
}

/// A view without a body, which says itself what is on the screen.
package protocol Primitive {
    func elements(in context: RenderContext) -> [RenderedElement]
}

extension View where Body == Never {
    /// Never asked for: the library's own views have no body.
    public var body: Never { preconditionFailure("\(Self.self) has no body") }
}

/// A view of any type, where types would differ or contain themselves. Another type at its place
/// begins with new state.
public struct AnyView: View, Primitive {
    public typealias Body = Never
    private let view: any View

    public init(_ view: any View) {
        self.view = view
    }

    package func elements(in context: RenderContext) -> [RenderedElement] {
        context.render(view, .body)
    }
}

/// Views that count as members of the container around them.
public struct Group<Content: View>: View, Primitive {
    public typealias Body = Never
    private let content: Content

    public init(@ViewBuilder content: () -> Content) {
        self.content = content()
    }

    package func elements(in context: RenderContext) -> [RenderedElement] {
        context.render(content, .body)
    }
}
