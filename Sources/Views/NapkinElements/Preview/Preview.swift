// Preview: a view in one state, shown during development.

/// A case of a view that `preview` shows, without a session and a worker.
///
/// ```swift
/// @PreviewBuilder var previews: [Preview] {
///     Preview("Full board") { PitBoardScreen(model: .full) }
///     Preview("Nothing on the fire") { PitBoardScreen(model: .empty) }
/// }
/// ```
///
/// Give them to `Client.main(app:commands:views:previews:)`.
public struct Preview {
    /// Its name on the command line and in the list, unique in the app.
    public let name: String
    private let make: () -> any View

    /// - Parameters:
    ///   - name: its name, such as the state that it shows.
    ///   - content: creates the view, a new one for each showing.
    public init(_ name: String, @ViewBuilder content: @escaping () -> some View) {
        self.name = name
        make = content
    }

    /// Creates the view, with fresh state.
    public func view() -> any View { make() }
}

/// Builds an app's previews from those in its braces.
@resultBuilder
public enum PreviewBuilder {
    public static func buildExpression(_ preview: Preview) -> [Preview] { [preview] }
    public static func buildExpression(_ previews: [Preview]) -> [Preview] { previews }
    public static func buildBlock(_ previews: [Preview]...) -> [Preview] {
        previews.flatMap(\.self)
    }
    public static func buildOptional(_ previews: [Preview]?) -> [Preview] { previews ?? [] }
    public static func buildEither(first previews: [Preview]) -> [Preview] { previews }
    public static func buildEither(second previews: [Preview]) -> [Preview] { previews }
    public static func buildArray(_ previews: [[Preview]]) -> [Preview] { previews.flatMap(\.self) }
}
