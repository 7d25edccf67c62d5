// MigrationTests: which earlier states are read, how, and which are not.

import NapkinCoding
import NapkinCore
import Testing

@Message private struct First: DurableState {
    var cents: Int64
}

/// The first, with fields that are new.
@Message private struct Added: DurableState {
    var cents: Int64
    var note: String?
    var unit: String
}

@Message private struct Wider: DurableState {
    var cents: Int32
}

@Message private struct Second: DurableState {
    static let migrations = [Migration(from: First.self) { Second(euros: $0.cents / 100) }]
    var euros: Int64
}

/// Two versions after the first.
@Message private struct Third: DurableState {
    static let migrations = [Migration(from: Second.self) { Third(texts: ["\($0.euros)"]) }]
    var texts: [String]
}

/// Could read the first by itself, and says how to do it better.
@Message private struct Told: DurableState {
    static let migrations = [Migration(from: First.self) { Told(cents: $0.cents, unit: "told") }]
    var cents: Int64
    var unit: String
}

/// The first, with a default.
@Message private struct Defaulted: DurableState {
    var cents: Int64 = 1
}

private struct Broken: Error {}

@Message private struct Failing: DurableState {
    static let migrations = [Migration(from: First.self) { _ in throw Broken() } as Migration<Self>]
    var euros: Int64
}

/// Each comes from the other.
@Message private struct Circle: DurableState {
    static let migrations = [Migration(from: Ring.self) { Circle(one: $0.two) }]
    var one: Int64
}

@Message private struct Ring: DurableState {
    static let migrations = [Migration(from: Circle.self) { Ring(two: $0.one) }]
    var two: Int64
}

@Message private struct Line: Equatable {
    var id: Int64
}

@Message private struct LongLine: Equatable {
    var id: Int64
    var name: String
}

@Message private struct Lines: DurableState {
    var lines: [Line]
}

@Message private struct LongLines: DurableState {
    var lines: [LongLine]
}

@Message private struct LateLine: Equatable {
    var id: Int64
    var name = "line"
}

@Message private struct LateLines: DurableState {
    var lines: [LateLine]
}

private actor Holder<State: DurableState>: DurableInteractable {
    nonisolated let lifecycle = InteractorLifecycle()
    nonisolated let durability = DurableNode()
    var state: State { didSet { durability.changed() } }

    nonisolated var unownedExecutor: UnownedSerialExecutor { MainActor.sharedUnownedExecutor }

    init(_ state: State) { self.state = state }
}

@MainActor
@Suite("A state of another version")
struct MigrationTests {
    /// Stores a state, restores it as another, and returns that and whether it has another form.
    private func restored<Old: DurableState, New: DurableState>(
        _ old: Old, as new: New
    ) async throws -> (New, isNew: Bool) {
        let stored = try Payload { (writer) throws(CBORError) in try writer.write(old) }
        let holder = Holder(new)
        let isNew = try holder.restoreState(stored, described: StateSchema(of: Old.self))
        return (await holder.state, isNew)
    }

    private func refusal<Old: DurableState, New: DurableState>(
        _ old: Old, as new: New
    ) async -> String? {
        do {
            _ = try await restored(old, as: new)
            return nil
        } catch {
            return (error as? StateDefect)?.reason ?? "\(error)"
        }
    }

    @Test func `the same version has nothing to do`() async throws {
        let (state, isNew) = try await restored(First(cents: 5), as: First(cents: 0))
        #expect(state.cents == 5 && !isNew)
    }

    @Test func `what is new begins as the interactor begins`() async throws {
        let new = Added(cents: 0, note: "new", unit: "cents")
        let (state, isNew) = try await restored(First(cents: 5), as: new)
        #expect(state.cents == 5 && state.note == "new" && state.unit == "cents" && isNew)
    }

    @Test func `a default makes no difference to what is stored`() async throws {
        // The type that wrote it comes first, though it has a default by now.
        let (told, _) = try await restored(Defaulted(cents: 5), as: Told(cents: 0, unit: "new"))
        #expect(told.unit == "told")
    }

    @Test func `a field that had no value has none`() async throws {
        let old = Added(cents: 1, note: nil, unit: "cents")
        let (state, _) = try await restored(old, as: Added(cents: 0, note: "new", unit: ""))
        #expect(state.note == nil)
    }

    @Test func `a number may become wider, and not narrower`() async throws {
        let (state, _) = try await restored(Wider(cents: 5), as: First(cents: 0))
        #expect(state.cents == 5)
        #expect(
            await refusal(First(cents: 5), as: Wider(cents: 0))
                == "First.cents: type changed from Int64 to Int32")
    }

    @Test func `what has gone is not lost in silence`() async {
        #expect(
            await refusal(Added(cents: 5, note: nil, unit: ""), as: First(cents: 0))
                == "Added.note: field removed; Added.unit: field removed")
    }

    @Test func `a new field within the state has no value to begin with`() async {
        #expect(
            await refusal(Lines(lines: []), as: LongLines(lines: []))
                == "Line.name: field added, String")
    }

    @Test func `a new field within the state begins with its default`() async throws {
        let (state, _) = try await restored(Lines(lines: [Line(id: 3)]), as: LateLines(lines: []))
        #expect(state.lines == [LateLine(id: 3)])
    }

    @Test func `a migration is followed, and one before it`() async throws {
        #expect(try await restored(First(cents: 500), as: Second(euros: 0)).0.euros == 5)
        let (state, isNew) = try await restored(First(cents: 500), as: Third(texts: []))
        #expect(state.texts == ["5"] && isNew)
    }

    @Test func `a migration comes before fields that are filled`() async throws {
        let (state, _) = try await restored(First(cents: 5), as: Told(cents: 0, unit: "new"))
        #expect(state.unit == "told")
    }

    @Test func `a migration does not read what it would lose`() async {
        let old = Added(cents: 5, note: nil, unit: "")
        #expect(
            await refusal(old, as: Second(euros: 0))?.contains("Added.cents: field removed")
                == true)
    }

    @Test func `a migration that throws says why`() async {
        #expect(
            await refusal(First(cents: 5), as: Failing(euros: 0))
                == "the migration from First failed: Broken()")
    }

    @Test func `migrations in a circle come to an end`() async throws {
        #expect(await refusal(First(cents: 5), as: Circle(one: 0)) != nil)
        #expect(try await restored(Ring(two: 2), as: Circle(one: 0)).0.one == 2)
    }

    @Test func `bytes that are not as described are refused`() async throws {
        let holder = Holder(Added(cents: 0, note: nil, unit: ""))
        for bytes: [UInt8] in [[], [0xff], [0xa1, 0x61], [0x01], [0xa0, 0x00]] {
            #expect(throws: StateDefect.self) {
                try holder.restoreState(Payload(bytes), described: StateSchema(of: First.self))
            }
        }
    }
}

/// A durable state's place in a schema, where a check finds what would not be restored.
@Suite("A state in a lock file")
struct DurableSchemaTests {
    private func schema(_ states: any DurableState.Type...) -> AppSchema {
        AppSchema(app: "a", of: [], states: states)
    }

    /// The schema as a lock file has it, with the state under the name of another.
    private func locked(
        _ state: any DurableState.Type, as other: any DurableState.Type
    ) throws -> AppSchema {
        let text = SchemaText.text(of: schema(state))
            .replacing("\(state)", with: "\(other)")
        return try SchemaText.schema(from: text)
    }

    @Test func `it is read as it was written, with its migrations`() throws {
        let written = schema(Third.self, First.self)
        let read = try SchemaText.schema(from: SchemaText.text(of: written))
        #expect(read.states?.map(\.state) == ["First", "Third"])
        #expect(read.states?.last?.migratesFrom == ["Second", "First"])
        #expect(ContractComparison.changes(from: read, to: written).isEmpty)
    }

    @Test func `what is filled or migrated breaks nothing`() throws {
        for newer in [Added.self, Second.self, Third.self] as [any DurableState.Type] {
            let changes = ContractComparison.changes(
                from: try locked(First.self, as: newer), to: schema(newer))
            #expect(!changes.isEmpty && changes.allSatisfy { $0.breakages.isEmpty }, "\(newer)")
        }
    }

    @Test func `what cannot be read any more is named`() throws {
        let changes = ContractComparison.changes(
            from: try locked(Added.self, as: First.self), to: schema(First.self))
        let breaking = changes.filter(\.breaksOlderFronts)
        #expect(
            breaking.map(\.summary) == ["First.note: field removed", "First.unit: field removed"])
        #expect(breaking.allSatisfy { $0.isStored })
    }

    @Test func `a state that has come or gone breaks nothing`() {
        let changes = ContractComparison.changes(
            from: schema(First.self), to: schema(Second.self))
        #expect(changes.contains { $0.summary == "Second: durable state added" })
        #expect(changes.contains { $0.summary == "First: durable state removed" })
        #expect(changes.allSatisfy { $0.breakages.isEmpty })
    }
}
