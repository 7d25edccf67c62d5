// ElementView: a view that consists of elements.
//
// Layer      terminal, views.
// Isolation  @MainActor.
// Ownership  elements are created for each drawing; lasting state (selections, texts) is in models,
//            which the view owns.

/// A feature's view in a terminal. It declares its elements; its lines, its keys and its focus
/// follow from them.
///
/// Conform the class that implements a feature's presentable protocol, and make it `@Observable`:
/// when something changes that was read for the last drawing, the screen is drawn again, once in a
/// turn of the loop. What was not read causes no drawing.
///
/// ```swift
/// @Observable
/// final class OrderView: OrderPresentable, ElementView {
///     private var menu: [String] = []
///     private let dishes = ListModel()
///
///     func present(menu: [String]) async { self.menu = menu }
///
///     var body: Elements {
///         Text("What will it be?").bold()
///         List(menu, selection: dishes) { Text($0) } primaryAction: { self.order($0) }
///         Button("Back", role: .cancel) { … }.keyboardShortcut("b")
///     }
/// }
/// ```
@MainActor
public protocol ElementView: AnyObject {
    @ElementBuilder var body: Elements { get }

    /// The view's title in the line above the screen, if one view has led to another; `nil` leaves
    /// it out.
    var title: String? { get }

    /// The keys that work while the view is visible. Enter also presses the first one.
    var keys: [KeyBinding] { get }

    /// What the view shows at the top of the screen, whatever lies over the view: pushed pages, a
    /// modal, another tab. Nothing by default.
    ///
    /// It is text: nothing in it can be focused or clicked, but the keys of its buttons work
    /// everywhere. All banners together take at most `Composition.bannerLinesMax` lines.
    @ElementBuilder var banner: Elements { get }
}

extension ElementView {
    public var title: String? { nil }

    /// The keys of its buttons.
    public var keys: [KeyBinding] { composedBody.bindings }

    public var banner: Elements { Elements() }

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
    public init() {}

    public var body: Elements { Elements() }
}

/// A node's view with its embedded children: where the body places them, otherwise below it.
struct NodeElement: Element {
    let node: UInt32
    let view: any ElementView
    let panes: [PlacedPane]

    private func whole(_ width: Int, _ pass: LayoutPass) -> any Element {
        let content = view.composedBody
        guard !panes.isEmpty else { return content }
        // When asked for its extent, the body says which panes it places.
        _ = content.extent(in: width, pass)
        return VStack(members: [content] + pass.unplacedPanes, spacing: 0)
    }

    func extent(in width: Int, _ pass: LayoutPass) -> Extent {
        pass.inNode(node, panes: panes) { whole(width, pass).extent(in: width, pass) }
    }

    func draw(in area: Area, _ pass: LayoutPass) -> [StyledLine] {
        pass.inNode(node, panes: panes) { whole(area.width, pass).draw(in: area, pass) }
    }
}
