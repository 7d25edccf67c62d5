// Durable: the macros of an interactor whose state survives its process.

/// Makes an interactor durable: its `state` is restored after its worker has died.
///
/// ```swift
/// @Durable
/// final actor CartInteractor: PresentableInteractable {
///     @Message struct State: DurableState { var basket = Basket() }
///     var state = State()
///     @Volatile private var isAsking = false
///     // …
/// }
/// ```
///
/// It adds the conformance to ``DurableInteractable``, `durability`, and an observer that reports
/// each change of `state`. Assign to `state` and mutate it in place like any other property.
/// Assignments in `init` do not call the observer.
///
/// An actor whose `state` is missing, constant, computed, `lazy`, `private` or in an `#if` is
/// refused, since nothing could be restored to it, and so is one whose `state` has an observer
/// already. A nested `struct State` must be a `@Message` and name ``DurableState``: later versions
/// of the app read it. Each other stored `var` is refused unless it is marked ``Volatile()``, so
/// that nothing is lost by oversight.
@attached(member, names: named(durability))
@attached(memberAttribute)
@attached(extension, conformances: DurableInteractable)
public macro Durable() = #externalMacro(module: "NapkinMacros", type: "DurableMacro")

/// Marks a stored `var` of a `@Durable` interactor that may be lost.
///
/// ```swift
/// @Volatile private var isAsking = false
/// ```
///
/// After a restart it has the value that `init` gives it. Use it for caches, handles and flags for
/// work under way; data that a person would be angry to lose belongs in `state`.
///
/// The mark is refused on `state` itself, on constant, static or computed properties, which a
/// restart does not change, and outside a `@Durable` actor, where nothing reads it.
@attached(peer)
public macro Volatile() = #externalMacro(module: "NapkinMacros", type: "VolatileMacro")

/// Adds the observer that reports each change of a durable `state`. `@Durable` attaches it.
@attached(accessor, names: named(didSet))
public macro ReportsChanges() = #externalMacro(module: "NapkinMacros", type: "ReportsChangesMacro")
