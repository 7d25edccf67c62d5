// DiaryFeature: an app in several versions, whose durable states differ.

import Foundation
import NapkinCore

/// What every version's state can do.
protocol DiaryState: DurableState {
    init()
    var text: String { get }
    mutating func add(_ amount: Int64)
}

@Message struct DiaryOne: DiaryState {
    var cents: Int64 = 0

    init() {}
    var text: String { "\(cents) cents" }
    mutating func add(_ amount: Int64) { cents += amount }
}

/// The first, which needs a migration to become this.
@Message struct DiaryMigrated: DiaryState {
    static let migrations = [
        Migration(from: DiaryOne.self) { old in
            var state = DiaryMigrated()
            state.tenths = old.cents * 10
            return state
        }
    ]

    var tenths: Int64 = 0

    init() {}
    var text: String { "\(tenths) tenths" }
    mutating func add(_ amount: Int64) { tenths += amount * 10 }
}

/// Not the first: a state of it would be read as if it were empty.
@Message struct DiaryRenamed: DiaryState {
    var amount: Int64 = 0

    init() {}
    var text: String { "\(amount)" }
    mutating func add(_ amount: Int64) { self.amount += amount }
}

/// One cent cannot be read, three end whoever reads them, and 99 whoever adds them.
@Message struct DiaryBrittle: DiaryState {
    var amount: BrittleAmount = BrittleAmount()

    init() {}
    var text: String { "\(amount.cents) cents" }
    mutating func add(_ amount: Int64) {
        precondition(amount != 99, "an amount that ends its worker")
        self.amount.cents += amount
    }
}

struct BrittleAmount: Codable, Hashable, Sendable {
    var cents: Int64 = 0

    init() {}

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        cents = try container.decode(Int64.self)
        if DiaryVersion.text == DiaryVersion.sound.rawValue { return }
        precondition(cents != 3, "an amount that ends each restore")
        if cents == 1 {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "one cent")
        }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(cents)
    }
}

@Durable
final actor DiaryInteractor<State: DiaryState>: PresentableInteractable {
    nonisolated let lifecycle = InteractorLifecycle()
    nonisolated let presenter: any DiaryPresentable
    var state = State()

    init(presenter: any DiaryPresentable) { self.presenter = presenter }

    func didBecomeActive() async { await presenter.present(text: state.text) }
}

extension DiaryInteractor: DiaryPresentableListener {
    func write(_ amount: Int64) async {
        state.add(amount)
        await presenter.present(text: state.text)
    }
}

/// The app in the version of this state.
enum DiaryApp<State: DiaryState>: App {
    static var id: String { "diary" }
    static var features: [any Feature.Type] { [Diary.self] }
    static var durableStates: [any DurableState.Type] { [State.self] }

    @MainActor
    static func makeRoot(_ session: SessionContext) async -> any LaunchRouting {
        let view = RemoteView<Diary>()
        let interactor = DiaryInteractor<State>(presenter: view.presenter)
        return LaunchRouter(interactor: interactor, view: view, listener: interactor)
    }
}

/// The first version with a child and, for each front, a page.
enum LongDiaryApp: App {
    static let id = "diary"
    static let features: [any Feature.Type] = [Diary.self, Appendix.self, Margin.self]

    @MainActor
    static func makeRoot(_ session: SessionContext) async -> any LaunchRouting {
        let view = RemoteView<Diary>()
        let interactor = DiaryInteractor<DiaryOne>(presenter: view.presenter)
        return LongDiaryRouter(interactor: interactor, view: view, listener: interactor)
    }
}

final class LongDiaryRouter: LaunchRouter<DiaryInteractor<DiaryOne>, Diary> {
    private let appendix = ChildSlot<Appendix>("appendix")
    private let margins = FrontSlot<Margin>("margin")

    override func didLoad() async {
        await attach(appendix) { DiaryInteractor<DiaryOne>(presenter: $0.presenter) }
        await attach(margins) { _, _, view in
            DiaryInteractor<DiaryOne>(presenter: view.presenter)
        }
    }
}

/// The version that the file named by `DIARY_VERSION` says.
enum DiaryVersion: String {
    case one, migrated, renamed, full, lesser, long, brittle, sound

    static var text: String? {
        let path = ProcessInfo.processInfo.environment["DIARY_VERSION"] ?? "/dev/null"
        return FileManager.default.contents(atPath: path).map {
            String(decoding: $0, as: UTF8.self)
        }
    }

    static var newest: any App.Type {
        switch text.flatMap(Self.init) {
        case .one, nil: return DiaryApp<DiaryOne>.self
        case .migrated: return DiaryApp<DiaryMigrated>.self
        case .renamed: return DiaryApp<DiaryRenamed>.self
        case .full: return DiaryFull.app
        case .lesser: return DiaryLesser.app
        case .long: return LongDiaryApp.self
        case .brittle, .sound: return DiaryApp<DiaryBrittle>.self
        }
    }
}
