// Contracts: crossings that the tests of this target send messages over.
//
//
// They are public and package, at the top and nested: generated code must compile as each.

public import NapkinCore

/// Codable, but not `@Message`: it crosses through containers.
public struct Plain: Codable, Hashable, Sendable {
    public var id: Int
    public var note: String?

    public init(id: Int, note: String? = nil) {
        self.id = id
        self.note = note
    }
}

@Crossing @MainActor
public protocol PitPresentable: Presentable {
    func present(sections: [Plain]) async
    func present(specials: [String: Int]) async
    func present(_ count: Int, of total: Int?) async
    func clear() async
    @Effect func flash(_ item: Int) async
    @Effect func ring() async
    func confirm(_ question: String) async throws -> Bool
    func choose(from items: [Plain], `default`: Int) async throws -> Plain?
}

@Crossing
package protocol PitPresentableListener: PresentableListener {
    func didTapBack() async
    func didPick(_ item: Plain, at index: Int) async
    func save(_ items: [Plain]) async throws
    func total(of items: [Plain]) async throws -> Int
    func version() async throws -> String
}

/// Names that generated code could trip over.
@Crossing
package protocol TrapsPresentableListener: PresentableListener {
    func `default`(_ writer: Int, call: Int, target: Int) async
    func method(reader: Int, `self` message: Int) async
    func encode(into writer: Int, `inout` result: Int) async throws -> Int
    func port(_: Int, in: Int, for _: Int) async throws -> Int
    func `class`(for: Int, `in` error: Int) async throws
    func _port() async
    func repeated(x a: Int, x b: Int) async throws -> Int
    @discardableResult func shadow(schema: Int, answer: Int) async throws -> Int
}

/// The same, and names that its messages could trip over.
@Crossing
package protocol TrapsPresentable: Presentable {
    func `default`(_ writer: Int, call: Int, target: Int) async
    func method(reader: Int, `self` message: Int) async
    @Effect func `init`(for: Int, `in` error: Int) async
    func encode(into writer: Int, `inout` result: Int) async throws -> Int
    func repeated(x a: Int, x b: Int) async throws -> Int
}

/// A side that has nothing to say.
@Crossing
package protocol SilentPresentable: Presentable {}

@Crossing
package protocol SilentPresentableListener: PresentableListener {}

package enum Nested {
    package struct Item: Codable, Sendable, Equatable { var id: Int }
    /// Hides the core's type from generated code that does not qualify it.
    package struct Payload: Codable, Sendable {}
    package struct MethodID: Codable, Sendable {}

    @Crossing
    package protocol Presentable: NapkinCore.Presentable {
        func present(_ item: Item) async
        func present(_ item: Item, payload: Payload) async
    }
}
