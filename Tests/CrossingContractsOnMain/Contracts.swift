// Contracts: crossings in a module whose default isolation is the main actor, as fronts have it.
//
// Isolation  @MainActor by default; what `@Crossing` generates says its own.

public import NapkinCore

/// A presentable with one method of each class.
@Crossing
public protocol BannerPresentable: Presentable {
    func present(title: String) async
    @Effect func flash() async
    func confirm(_ question: String, choices: [String]) async throws -> Int
}

/// A listener with one event of each kind.
@Crossing
public protocol BannerPresentableListener: PresentableListener {
    func didTap() async
    func didType(_ text: String) async throws
    func count(of word: String) async throws -> Int
}

@Message
public struct Banner: Equatable {
    public var title: String
    public var note: String?
    public var style: Style

    public init(title: String, note: String? = nil, style: Style = .plain) {
        self.title = title
        self.note = note
        self.style = style
    }

    @Message
    public enum Style: String { case plain, bold }
}

@Message
public enum Choice: Equatable {
    case first
    case other(Banner, index: Int?)
}
