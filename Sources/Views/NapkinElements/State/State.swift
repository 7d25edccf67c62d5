// State: a view's own state, kept while the view's value is recreated, and the access to it.
//
// Ownership  the view's site keeps the value, for as long as the view exists.
// Invariant  reading it in a body is observed, as reading an `@Observable` object is.

public import Observation

/// A value that a view keeps: an edited text, a folded section, its presenter.
///
/// ```swift
/// @State private var name = ""
/// @State private var model = OrderModel()
/// ```
///
/// It lasts as long as the view is at its place, even while a pushed page covers it, and across a
/// front's return to its session. As in SwiftUI, each evaluation creates the initial value, so
/// avoid costly ones.
@propertyWrapper
public struct State<Value>: DynamicProperty {
    private let box: StateBox<Value>

    public init(wrappedValue: Value) { box = StateBox(wrappedValue) }

    public init(initialValue: Value) { box = StateBox(initialValue) }

    public var wrappedValue: Value {
        get { box.value }
        nonmutating set { box.value = newValue }
    }

    public var projectedValue: Binding<Value> { box.binding }

    func connect(_ kept: AnyObject?, _ environment: EnvironmentValues) -> AnyObject {
        box.connect(kept)
    }
}

extension State where Value: ExpressibleByNilLiteral {
    public init() { self.init(wrappedValue: nil) }
}

/// An observed value that is kept at a view's site.
@Observable
final class StateStorage<Value> {
    var value: Value

    init(_ value: Value) { self.value = value }
}

/// The reference from a view's value to its kept state.
final class StateBox<Value> {
    private var storage: StateStorage<Value>

    init(_ initial: Value) { storage = StateStorage(initial) }

    var value: Value {
        get { storage.value }
        set { storage.value = newValue }
    }

    var binding: Binding<Value> {
        let storage = storage
        return Binding(get: { storage.value }, set: { storage.value = $0 })
    }

    func connect(_ kept: AnyObject?) -> AnyObject {
        if let kept = kept as? StateStorage<Value> { storage = kept }
        return storage
    }
}

/// Makes bindings to properties of an `@Observable` object: `TextField("name", text: $model.name)`.
@propertyWrapper @dynamicMemberLookup
public struct Bindable<Value: AnyObject & Observable> {
    public let wrappedValue: Value

    public init(wrappedValue: Value) { self.wrappedValue = wrappedValue }

    public init(_ wrappedValue: Value) { self.wrappedValue = wrappedValue }

    public var projectedValue: Bindable<Value> { self }

    public subscript<Property>(
        dynamicMember property: ReferenceWritableKeyPath<Value, Property>
    ) -> Binding<Property> {
        Binding(wrappedValue, property)
    }
}

/// Reads and writes a value that is kept elsewhere: in a view's ``State``, in a presenter.
@propertyWrapper @dynamicMemberLookup
public struct Binding<Value> {
    private let get: () -> Value
    private let set: (Value) -> Void

    public init(get: @escaping () -> Value, set: @escaping (Value) -> Void) {
        self.get = get
        self.set = set
    }

    /// Creates a binding to a property of an object.
    public init<Root: AnyObject>(
        _ object: Root, _ property: ReferenceWritableKeyPath<Root, Value>
    ) {
        self.init(get: { object[keyPath: property] }, set: { object[keyPath: property] = $0 })
    }

    /// Lets a closure take a binding as `$item`: see ``ForEach``.
    public init(projectedValue: Binding<Value>) { self = projectedValue }

    /// Returns a binding to a constant value.
    public static func constant(_ value: Value) -> Binding<Value> {
        Binding(get: { value }, set: { _ in })
    }

    public var wrappedValue: Value {
        get { get() }
        nonmutating set { set(newValue) }
    }

    public var projectedValue: Binding<Value> { self }

    /// A binding to a part of the value: `$order.name`.
    public subscript<Part>(dynamicMember part: WritableKeyPath<Value, Part>) -> Binding<Part> {
        Binding<Part>(
            get: { wrappedValue[keyPath: part] }, set: { wrappedValue[keyPath: part] = $0 })
    }
}
