// View: a piece of a screen as a value, described by its body.
//
// Ownership  values, created for each evaluation; `@State` and presenters hold lasting state.
// Spec       SwiftUI's View: the same names and meanings, as far as a text screen has them.

/// A piece of a screen.
///
/// A view is a value. It describes its content in its `body`, and keeps lasting state only in
/// ``State`` and in its `@Observable` presenter:
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
/// When a value that the last evaluation read changes, the view is evaluated and drawn again, once
/// per turn of the loop. Changes of other values cause neither.
@MainActor
public protocol View {
    associatedtype Body: View
    /// The view's content, from top to bottom.
    @ViewBuilder var body: Body { get }
}

extension Never: View {
    public typealias Body = Never
}

/// A view without a body, which creates its elements directly.
package protocol Primitive: View where Body == Never {
    func elements(in context: RenderContext) -> [RenderedElement]
}

extension View where Body == Never {
    /// Never called: the library's primitive views have no body.
    public var body: Never { preconditionFailure("\(Self.self) has no body") }
}

/// A view of any type, for places where types would differ or contain themselves. A view of another
/// type at the same place starts with new state.
public struct AnyView: View, Primitive {
    private let view: any View

    public init(_ view: any View) { self.view = view }

    package func elements(in context: RenderContext) -> [RenderedElement] {
        context.render(view, .body)
    }
}

/// Views that count as members of the container around them.
public struct Group<Content: View>: View, Primitive {
    private let content: Content

    public init(@ViewBuilder content: () -> Content) { self.content = content() }

    package func elements(in context: RenderContext) -> [RenderedElement] {
        context.render(content, .body)
    }
}
