// DurableFeature: what is measured of durable sessions: the same feature, kept in three ways.

package import NapkinCore

@Crossing @MainActor
package protocol TablePresentable: Presentable {
    func present(sum: Int64) async
}

@Crossing
package protocol TablePresentableListener: PresentableListener {
    /// Changes one row of 200, and presents the sum.
    func change(_ row: Int) async throws -> Int64
}

package enum Table: Feature {
    package static let id: FeatureID = "bench.table"
    package typealias Presenting = TablePresentableCrossing
    package typealias Listening = TablePresentableListenerCrossing
}

@Message
struct TableRow {
    var name: String
    var count: Int64
}

@Durable
final actor TableInteractor: PresentableInteractable, TablePresentableListener {
    @Message struct State: DurableState {
        var rows: [TableRow] = (0..<200).map {
            TableRow(name: "row \($0), of the usual length", count: 0)
        }
    }

    nonisolated let lifecycle = InteractorLifecycle()
    nonisolated let presenter: any TablePresentable
    var state = State()
    @Volatile private var sum: Int64 = 0

    init(presenter: any TablePresentable) { self.presenter = presenter }

    func didBecomeActive() async {
        sum = state.rows.reduce(0) { $0 + $1.count }
        await presenter.present(sum: sum)
    }

    func change(_ row: Int) async throws -> Int64 {
        state.rows[row % 200].count += 1
        sum += 1
        return sum
    }
}

/// A counter: the state is as small as can be.
@Durable
final actor CountInteractor: PresentableInteractable, TablePresentableListener {
    @Message struct State: DurableState { var sum: Int64 = 0 }

    nonisolated let lifecycle = InteractorLifecycle()
    nonisolated let presenter: any TablePresentable
    var state = State()

    init(presenter: any TablePresentable) { self.presenter = presenter }

    func didBecomeActive() async { await presenter.present(sum: state.sum) }

    func change(_ row: Int) async throws -> Int64 {
        state.sum += 1
        return state.sum
    }
}

/// Nothing is kept, whatever the feature's type says.
enum VolatileApp: App {
    static let id = "kept-none"
    static let features: [any Feature.Type] = [Table.self]
    static let durability = Durability.none

    @MainActor
    static func makeRoot(_ session: SessionContext) async -> any LaunchRouting {
        LaunchRouter(Table.self) { CountInteractor(presenter: $0.presenter) }
    }
}

enum ProcessApp: App {
    static let id = "kept-process"
    static let features = VolatileApp.features
    static let durability = Durability.process

    @MainActor
    static func makeRoot(_ session: SessionContext) async -> any LaunchRouting {
        await VolatileApp.makeRoot(session)
    }
}

enum MachineApp: App {
    static let id = "kept-machine"
    static let features = VolatileApp.features
    static let durability = Durability.machine

    @MainActor
    static func makeRoot(_ session: SessionContext) async -> any LaunchRouting {
        await VolatileApp.makeRoot(session)
    }
}

/// As `ProcessApp`, with a state of 200 rows.
enum RowsApp: App {
    static let id = "kept-rows"
    static let features = VolatileApp.features
    static let durability = Durability.process

    @MainActor
    static func makeRoot(_ session: SessionContext) async -> any LaunchRouting {
        LaunchRouter(Table.self) { TableInteractor(presenter: $0.presenter) }
    }
}
