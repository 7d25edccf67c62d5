// PoisonContract: a feature whose one event ends its worker, in the way that the event names.

package import NapkinCore

package enum Poison: Feature {
    package static let id: FeatureID = "poison.root"
    package typealias Presenting = PoisonPresentableCrossing
    package typealias Listening = PoisonPresentableListenerCrossing
}

/// A place in an app where a precondition fails, or a way in which its process ends in a handler.
@Message
package enum Death: String, CaseIterable {
    // Places.
    case before, between, after, waited, changedAndWaited
    case child, listener, builder, activation
    case encoded, effect, stream, task, ownThread, timer, job, jobSuccess, jobFailure
    // Ways.
    case index, overflow, unwrap, cast, thrown, fatal, precondition, division, exclusivity
    case unowned, resumedTwice, recursion, memory, memoryLimit
    case abort, freed, wild, bus, arithmetic, killed, killedLater, exit0, exit1, underscoreExit
    case thread, threadLater, threadRecursion, loop, deadlock, sleep, descriptors
    /// No death: an error that a task throws and nobody catches.
    case uncaught
    // Places in the launch of a session, which its name tells.
    case root, rootActivation, restored, migrated
}

/// A number that can trap its process: when it is encoded, or when it is decoded.
package struct Flask: Message, Hashable {
    package static let trappingWriter = Flask(content: 1)
    package static let trappingReader = Flask(content: 2)

    package var content = 0

    package func encode(into writer: inout CBORWriter) throws(CBORError) {
        precondition(self != .trappingWriter, "a value that cannot be encoded")
        try writer.write(content)
    }

    package init(from reader: inout CBORReader) throws(CBORError) {
        content = try Int(from: &reader)
        precondition(self != .trappingReader, "a value that cannot be decoded")
    }

    package init(content: Int = 0) { self.content = content }

    package static func describe(in types: inout TypeCatalog) -> String {
        types.describe(Self.self, as: "Flask") { type in type.raw(Int.self) }
    }
}

@Crossing @MainActor
package protocol PoisonPresentable: Presentable {
    func present(flask: Flask) async
    @Effect func flash(_ flask: Flask) async
}

@Crossing
package protocol PoisonPresentableListener: PresentableListener {
    func dies(_ death: Death) async throws
    /// Attaches the child, which a front can have die.
    func opens() async throws
    /// Does nothing; returns the worker's process id.
    func serves() async throws -> Int
}

/// A child, whose view is given the death that its interactor or builder is to die.
package enum PoisonChild: Feature {
    package static let id: FeatureID = "poison.child"
    package typealias Presenting = PoisonChildPresentableCrossing
    package typealias Listening = PoisonChildPresentableListenerCrossing

    @Message
    package struct Arguments: Equatable {
        package var death: Death
    }
}

@Crossing @MainActor
package protocol PoisonChildPresentable: Presentable {
    func present(title: String) async
}

@Crossing
package protocol PoisonChildPresentableListener: PresentableListener {
    func dies(_ death: Death) async throws
}
