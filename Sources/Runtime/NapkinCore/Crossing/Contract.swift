// Contract: the code that `@Crossing` generates for a protocol, and the feature that names it.
//
// Isolation  none of its own; the generated senders and receivers are @MainActor.

/// Generates, next to a protocol, the sender, the receiver and the schema, and for a presentable
/// the message type.
///
/// Attach it to a protocol that inherits `Presentable` (calls from an interactor to its view) or
/// `PresentableListener` (calls from a view to its interactor). For `protocol P` it generates
/// `PSender`, `PReceiver` and `PCrossing`, and for a presentable `PMessage`, as visible as `P`.
///
/// Write `public` or `package` on the protocol and on every type around it. Two modules, the
/// feature's and the front's, share a contract. If only one module can see the protocol, the
/// optimizer of a release build (Swift 6.3.1) counts only the conforming types written in source,
/// not the generated `PSender`, and sends its calls to the interactor's code. `@Crossing` refuses
/// such a protocol, and a protocol in an extension that does not itself say `public` or `package`.
@attached(peer, names: suffixed(Message), suffixed(Sender), suffixed(Receiver), suffixed(Crossing))
public macro Crossing() = #externalMacro(module: "NapkinMacros", type: "CrossingMacro")

/// Marks a presentable's method as an effect: in order, at most once, never replayed.
@attached(peer)
public macro Effect() = #externalMacro(module: "NapkinMacros", type: "MarkMacro")

/// Marks a presentable's method as a log: each call appends an item, such as a line of text.
///
/// ```swift
/// @Append(items: 50_000) func output(_ line: String) async
/// ```
///
/// Items arrive in order and are numbered from 0. The worker keeps the newest of them within both
/// limits: `items` (at least 128), and `bytes` when encoded (at least 64 KiB). A front that
/// attaches gets the tail; a front that is slow or late skips items and can read those that are
/// kept: see ``LogFollower``.
///
/// Items are lost with their worker. The log of a durable feature then continues with the next
/// number, and fronts keep the items that they have; any other log begins anew with its next item.
/// A feature that shows its items again calls ``Interactable/appendAnew(_:)``.
@attached(peer)
public macro Append(items: Int = 10_000, bytes: Int = 1024 * 1024) =
    #externalMacro(module: "NapkinMacros", type: "MarkMacro")

/// Marks a presentable's state or log that may be shown before it is durable: a progress bar, a
/// meter, the output of a program.
///
/// ```swift
/// @Provisional func present(progress: Double) async
/// @Provisional @Append func output(_ line: String) async
/// ```
///
/// In a durable session all other messages wait until the changes before them are durable. A
/// provisional state does not: it may overtake earlier messages, although a front always receives
/// the feature first, and the values of one method in order. Never derive it from a durable state.
/// Its values are never taken back, and after a worker's death such a log begins anew with its next
/// item. In other sessions the mark changes nothing.
@attached(peer)
public macro Provisional() = #externalMacro(module: "NapkinMacros", type: "MarkMacro")

/// Marks an event whose arguments are never written down: a password, a text that is private.
///
/// ```swift
/// @Secret func didEnter(password: String) async
/// ```
///
/// A worker keeps the arguments of its newest events for the receipt of its death, which only the
/// user can read, but not those of a marked method. The mark hides nothing from fronts and tools.
@attached(peer)
public macro Secret() = #externalMacro(module: "NapkinMacros", type: "MarkMacro")

/// Generates the method of a state that a presenter merely stores.
///
/// ```swift
/// @Observable
/// final class PitBoardModel: PitBoardPresentable {
///     @Presented private(set) var sections: [PitSection] = []
/// ```
///
/// The method is `func present(sections: [PitSection]) async`, as visible as the variable if that
/// is `public` or `package`, otherwise internal. `@Presented var run: Run?` fits both
/// `present(run: Run?)` and `present(run: Run)`, for a screen that has nothing to show at first.
@attached(peer, names: named(present))
public macro Presented() = #externalMacro(module: "NapkinMacros", type: "PresentedMacro")

/// The main-actor side of a feature: the calls by which an interactor presents.
///
/// It is `Sendable` so that an interactor can hold one (`nonisolated let presenter: any P`): a
/// global actor does not make a protocol's existential sendable.
@MainActor
public protocol Presentable: AnyObject, Sendable {}

/// The calls from a view to its interactor. The interactor conforms to it, and the view calls it
/// through a sender.
public protocol PresentableListener: AnyObject, Sendable {}

/// A type that `@Crossing` generates to describe a protocol.
public protocol CrossingContract: Sendable {
    /// The protocol's existential, `any PitBoardPresentable`.
    associatedtype Target: Sendable
    /// Describes the crossing as data and adds the types that it uses to `types`.
    static func describe(in types: inout TypeCatalog) -> CrossingSchema
    /// Returns the object that decodes messages and calls `target`, which it retains.
    @MainActor static func receiver(for target: Target) -> CrossingReceiver
}

extension CrossingContract {
    /// The crossing described as data, without its types.
    public static var schema: CrossingSchema {
        var types = TypeCatalog()
        return describe(in: &types)
    }
}

/// The contract of a protocol that inherits `Presentable`.
public protocol PresentableCrossing: CrossingContract {
    /// The protocol's methods and their arguments, as a value.
    associatedtype Message: CrossingMessage
    @MainActor static func sender(to port: any PresentPort) -> Target
}

/// The contract of a protocol that inherits `PresentableListener`.
public protocol ListenerCrossing: CrossingContract {
    @MainActor static func sender(to port: any EventPort) -> Target
}

/// A message of one crossing: a method and its arguments, as a value.
public protocol CrossingMessage: Sendable {
    /// Decodes the arguments of `method`. Throws `.unknownCase` for an unknown method.
    init(method: MethodID, payload: UnsafeRawBufferPointer) throws(CBORError)
    var method: MethodID { get }
    /// Writes the arguments as a `Payload` has them.
    func encode(into writer: inout CBORWriter) throws(CBORError)
}
