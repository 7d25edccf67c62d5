// Preview: a view in one state, to be looked at while it is written.

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
    /// Its name on the command line and in the list; no other preview of the app has it.
    public let name: String
    private let make: () -> any View

    /// - Parameters:
    ///   - name: its name, such as the state that it shows.
    ///   - content: makes the view. Each time it is shown, a new one is made.
    public init(_ name: String, @ViewBuilder content: @escaping () -> some View) {
        self.name = name
        make = content
    }

    /// Makes the view, with state of its own.
    public func view() -> any View { make() }
}

/// Builds an app's previews from those that stand in its braces.
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
    public static func buildArray(_ previews: [[Preview]]) -> [Preview] {
        previews.flatMap(\.self)
    }
}
