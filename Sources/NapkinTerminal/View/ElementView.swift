// ElementView: a view that consists of elements.
//
// Layer      terminal, views.
// Isolation  @MainActor.
// Ownership  elements are created for each drawing; lasting state (selections, texts) is in models,
//            which the view owns.

/// A view that declares its elements; its lines, its keys and its focus follow from them.
///
/// ```swift
/// final class OrderView: OrderPresentable, ElementView {
///     let redraw = Redraw()
///     private let dishes = ListModel()
///     var body: Elements {
///         Text("What will it be?", .title)
///         List(menu.map { StyledLine($0) }, model: dishes) { [weak self] in self?.order($0) }
///         Button("Back", key: .character("b"), role: .back) { … }
///     }
/// }
/// ```
@MainActor
public protocol ElementView: TerminalView {
    @ElementBuilder var body: Elements { get }
}

extension ElementView {
    /// The keys of its buttons.
    public var keys: [KeyBinding] { composedBody.bindings }

    /// The body; during a composition, the body with which the composition began.
    fileprivate var composedBody: Elements {
        guard let composition = CompositionBodies.current else { return body }
        return composition.body(of: self)
    }

    /// Renders the body without a focus, as tests compare it.
    public func render(width: Int, height: Int) -> [StyledLine] {
        body.draw(in: Area(width: width, height: height), LayoutPass(height: height))
    }
}

/// The bodies of one composition: each view is asked once, for its extent, its lines and its keys.
final class CompositionBodies {
    fileprivate private(set) static var current: CompositionBodies?

    private var bodies: [ObjectIdentifier: Elements] = [:]

    /// Composes; the views stay alive meanwhile, because their nodes own them.
    static func during<T>(_ compose: () -> T) -> T {
        let before = current
        defer { current = before }
        current = CompositionBodies()
        return compose()
    }

    fileprivate func body(of view: any ElementView) -> Elements {
        if let known = bodies[ObjectIdentifier(view)] { return known }
        let body = view.body
        bodies[ObjectIdentifier(view)] = body
        return body
    }
}

/// The view of a feature that only contains other features.
public final class ContainerView: ElementView {
    public let redraw = Redraw()

    public init() {}

    public var body: Elements { Elements() }
}

/// A node's view with its embedded children: where the body places them, otherwise below it.
struct NodeElement: Element {
    let node: UInt32
    let view: any TerminalView
    let panes: [PlacedPane]

    private var content: any Element {
        if let view = view as? any ElementView { return view.composedBody }
        return Lines { [view] in view.render(width: $0, height: $1) }
    }

    private func whole(_ width: Int, _ pass: LayoutPass) -> any Element {
        let content = content
        guard !panes.isEmpty else { return content }
        // When asked for its extent, the body says which panes it places.
        _ = content.extent(in: width, pass)
        return Column(members: [content] + pass.unplacedPanes, spacing: 0)
    }

    func extent(in width: Int, _ pass: LayoutPass) -> Extent {
        pass.inNode(node, panes: panes) { whole(width, pass).extent(in: width, pass) }
    }

    func draw(in area: Area, _ pass: LayoutPass) -> [StyledLine] {
        pass.inNode(node, panes: panes) { whole(area.width, pass).draw(in: area, pass) }
    }
}
