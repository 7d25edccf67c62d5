// Stacks: vertical and horizontal stacks, and their separators.

/// A vertical stack of views.
///
/// The least flexible member is offered its share of the lines first, as in SwiftUI. If lines are
/// short, the spacing is dropped first; then scrolling elements shrink; then the page scrolls.
public struct VStack<Content: View>: View, Primitive {
    private let style: StackStyle
    private let content: Content

    /// - Parameters:
    ///   - alignment: the horizontal alignment of the members; unlike in SwiftUI, leading by
    ///     default.
    ///   - spacing: lines between two members.
    ///   - content: the members, from top to bottom.
    public init(
        alignment: HorizontalAlignment = .leading, spacing: Int = 0,
        @ViewBuilder content: () -> Content
    ) {
        style = .vertical(spacing: max(0, spacing), alignment: alignment)
        self.content = content()
    }

    package func elements(in context: RenderContext) -> [RenderedElement] {
        [.stack(style, context.render(content, .body))]
    }
}

/// A horizontal stack of views.
///
/// The least flexible member is offered its share of the width first, as in SwiftUI; the others
/// share the rest. A ``GroupBox`` at the top of a row is as high as the row.
public struct HStack<Content: View>: View, Primitive {
    private let style: StackStyle
    private let content: Content

    /// - Parameters:
    ///   - alignment: the vertical alignment of the members; unlike in SwiftUI, top by default.
    ///   - spacing: cells between two members.
    ///   - stackedBelow: in fewer cells than this, the members are stacked vertically.
    ///   - content: the members, from left to right.
    public init(
        alignment: VerticalAlignment = .top, spacing: Int = 2, stackedBelow: Int = 0,
        @ViewBuilder content: () -> Content
    ) {
        style = .horizontal(
            spacing: max(0, spacing), stackedBelow: stackedBelow, alignment: alignment)
        self.content = content()
    }

    package func elements(in context: RenderContext) -> [RenderedElement] {
        [.stack(style, context.render(content, .body))]
    }
}

/// Small views in a row, such as buttons, wrapped into as many lines as they need.
public struct Flow<Content: View>: View, Primitive {
    private let spacing: Int
    private let content: Content

    /// - Parameters:
    ///   - spacing: cells between two members.
    ///   - content: the members.
    public init(spacing: Int = 2, @ViewBuilder content: () -> Content) {
        self.spacing = max(0, spacing)
        self.content = content()
    }

    package func elements(in context: RenderContext) -> [RenderedElement] {
        [.stack(.flow(spacing: spacing), context.render(content, .body))]
    }
}

/// A space that fills the rest of a stack, in the stack's direction.
public struct Spacer: View, Primitive {
    public init() {}

    package func elements(in context: RenderContext) -> [RenderedElement] { [.spacer] }
}

/// A horizontal line. Plain text omits it.
public struct Divider: View, Primitive {
    public init() {}

    package func elements(in context: RenderContext) -> [RenderedElement] { [.divider] }
}

/// A border with a title around views.
///
/// In plain text, or where there is no room for a border, the title is a line and the content is
/// indented below it.
public struct GroupBox<Content: View>: View, Primitive {
    private let title: String
    private let content: Content

    /// - Parameters:
    ///   - title: shown in the upper border; empty for none.
    ///   - content: the views inside.
    public init(_ title: String, @ViewBuilder content: () -> Content) {
        self.title = title
        self.content = content()
    }

    package func elements(in context: RenderContext) -> [RenderedElement] {
        [.group(StyledLine(title, .accent), context.render(content, .body))]
    }
}

/// A heading with views below it.
public struct Section<Content: View>: View, Primitive {
    private let title: String
    private let content: Content

    public init(_ title: String, @ViewBuilder content: () -> Content) {
        self.title = title
        self.content = content()
    }

    package func elements(in context: RenderContext) -> [RenderedElement] {
        let heading = RenderedElement.text(Text(title).foregroundStyle(.accent).lineLimit(1))
        return [.stack(.vertical(spacing: 0), [heading] + context.render(content, .body))]
    }
}

/// Views that plain text replaces by a text.
struct Alternative<Content: View>: View, Primitive {
    let plain: [StyledLine]
    let keys: [KeyBinding]
    @ViewBuilder let content: Content

    func elements(in context: RenderContext) -> [RenderedElement] {
        [.alternative(plain: plain, plainKeys: keys, context.render(content, .body))]
    }
}
