// Modifiers: how an element differs from what it is by itself: its frame, its padding, its focus.
//
// Layer      terminal, elements.
// Isolation  @MainActor; values.

/// How far a frame grows.
public nonisolated enum FrameLength: Equatable, Sendable {
    /// A part of what the other elements leave, in proportion.
    case share(Int)

    public static let infinity = FrameLength.share(1)
}

/// The side of an element to which padding is added.
public nonisolated enum Edge: Sendable {
    case top
    case leading
}

extension Element {
    /// Returns the element with a fixed width in an ``HStack``; elsewhere its container decides.
    public func frame(width: Int) -> some Element { Framed(element: self, width: width) }

    /// Returns the element with a share of the width in an ``HStack``, or of the lines that are
    /// left over in a ``VStack``. The lines are shared equally.
    public func frame(
        maxWidth: FrameLength? = nil, maxHeight: FrameLength? = nil
    ) -> some Element {
        Framed(element: self, share: maxWidth?.parts, isTall: maxHeight != nil)
    }

    /// Returns the element with empty lines above it, or spaces before it: by default one line, or
    /// two cells.
    ///
    /// Without enough room the lines are the first to go. Plain text does not have them.
    public func padding(_ edge: Edge, _ length: Int? = nil) -> some Element {
        Padded(
            element: self, top: edge == .top ? length ?? 1 : 0,
            leading: edge == .leading ? length ?? 2 : 0)
    }

    /// Returns the element with a name, by which its focus is known. Of two lists, tables or fields
    /// of a view, one needs it.
    public func id(_ name: String) -> some Element { Named(element: self, name: name) }

    /// Returns an element that has the focus while the value is true: setting it moves the focus
    /// there, as soon as the element is on the screen.
    public func focused(_ isFocused: Binding<Bool>) -> some Element {
        Focused(element: self, isFocused: isFocused)
    }
}

extension FrameLength {
    fileprivate nonisolated var parts: Int {
        switch self {
        case .share(let parts): max(1, parts)
        }
    }
}

/// An element around another one, which it otherwise equals.
protocol ModifiedElement: Element {
    var element: any Element { get }
}

extension ModifiedElement {
    var bindings: [KeyBinding] { element.bindings }

    func extent(in width: Int, _ pass: LayoutPass) -> Extent { element.extent(in: width, pass) }
}

/// An element with a width that is not its own, or that takes all lines.
struct Framed: ModifiedElement {
    let element: any Element
    var width: Int?
    var share: Int?
    var isTall = false

    /// Returns the frame of an element, wherever it is among its modifiers.
    static func of(_ element: any Element) -> Framed? {
        element as? Framed ?? (element as? any ModifiedElement).flatMap { of($0.element) }
    }

    func extent(in width: Int, _ pass: LayoutPass) -> Extent {
        var extent = element.extent(in: width, pass)
        extent.fillsHeight = extent.fillsHeight || isTall
        return extent
    }

    func draw(in area: Area, _ pass: LayoutPass) -> [StyledLine] { element.draw(in: area, pass) }
}

/// An element with room above or before it.
private struct Padded: ModifiedElement {
    let element: any Element
    let top: Int
    let leading: Int

    func extent(in width: Int, _ pass: LayoutPass) -> Extent {
        var extent = element.extent(in: max(1, width - leading), pass)
        extent.width += leading
        if extent.height > 0, !pass.isLinear { extent.height += top }
        return extent
    }

    func draw(in area: Area, _ pass: LayoutPass) -> [StyledLine] {
        let width = max(1, area.width - leading)
        let height = element.extent(in: width, pass).height
        let isBare = pass.isLinear || height == 0
        let above = isBare ? 0 : min(top, max(0, area.height - height))
        let inner = Area(
            x: area.x + leading, y: area.y + above, width: width,
            height: area.height == .max ? .max : area.height - above)
        return Array(repeating: StyledLine(), count: above)
            + element.draw(in: inner, pass).map { $0.indented(by: leading).fitted(to: area.width) }
    }
}

/// An element whose focus has another name.
private struct Named: ModifiedElement {
    let element: any Element
    let name: String

    func draw(in area: Area, _ pass: LayoutPass) -> [StyledLine] {
        pass.naming(name) { element.draw(in: area, pass) }
    }
}

/// An element whose focus somebody watches or moves.
private struct Focused: ModifiedElement {
    let element: any Element
    let isFocused: Binding<Bool>

    func draw(in area: Area, _ pass: LayoutPass) -> [StyledLine] {
        pass.focusing(isFocused) { element.draw(in: area, pass) }
    }
}
