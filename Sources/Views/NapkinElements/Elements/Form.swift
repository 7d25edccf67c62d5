// Form: labelled content, line by line.

/// Labelled rows whose labels have one width.
///
/// ```swift
/// Form {
///     LabeledContent("Name") { TextField(text: $name) }
///     LabeledContent("Queue") { Text(queue) }
/// }
/// ```
public struct Form<Content: View>: View {
    private let labelWidth: Int
    private let content: Content

    /// - Parameters:
    ///   - labelWidth: the cells of a label; a longer one is cut.
    ///   - content: the rows.
    public init(labelWidth: Int = 14, @ViewBuilder content: () -> Content) {
        self.labelWidth = max(1, labelWidth)
        self.content = content()
    }

    public var body: some View {
        ModifiedView(
            content: VStack { content }, before: { [labelWidth] in $0.labelWidth = labelWidth })
    }
}

/// A label and its content: a field, a text, a control.
///
/// The label is also the name of the content for people who do not see it. In a ``Form``, all
/// labels have one width.
public struct LabeledContent<Content: View>: View {
    private let label: String
    private let content: Content
    @Environment(\.labelWidth) private var width

    public init(_ label: String, @ViewBuilder content: () -> Content) {
        self.label = label
        self.content = content()
    }

    public var body: some View {
        HStack {
            Text(label).foregroundStyle(.secondary).lineLimit(1).frame(width: width)
            content.accessibilityLabel(label)
        }
    }
}
