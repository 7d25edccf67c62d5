// State: what a view keeps itself, while its value is made anew.
//
// Ownership  the value is kept at the view's site, for as long as the view is there.
// Invariant  reading it in a body is observed, as reading an `@Observable` object is.

public import Observation

/// A value that a view keeps: a text being written, what is folded, its presenter.
///
/// ```swift
/// @State private var name = ""
/// @State private var model = OrderModel()
/// ```
///
/// It lasts as long as the view is at its place, also while a pushed page covers it, and when a
/// front comes back to its session. A value that is made only once may be costly to make: its
/// initial value is made at each evaluation, as in SwiftUI.
@propertyWrapper
public struct State<Value>: DynamicProperty {
    private let box: StateBox<Value>

    public init(wrappedValue: Value) {
        box = StateBox(wrappedValue)
    }

    public init(initialValue: Value) {
        box = StateBox(initialValue)
    }

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
    public init() {
        self.init(wrappedValue: nil)
    }
}

/// The value of a state, as it is kept at a site.
@Observable
final class StateStorage<Value> {
    var value: Value

    init(_ value: Value) {
        self.value = value
    }
}

/// What leads from a view's value to what is kept.
final class StateBox<Value> {
    private var storage: StateStorage<Value>

    init(_ initial: Value) {
        storage = StateStorage(initial)
    }

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

    public init(wrappedValue: Value) {
        self.wrappedValue = wrappedValue
    }

    public init(_ wrappedValue: Value) {
        self.wrappedValue = wrappedValue
    }

    public var projectedValue: Bindable<Value> { self }

    public subscript<Property>(
        dynamicMember property: ReferenceWritableKeyPath<Value, Property>
    ) -> Binding<Property> {
        Binding(wrappedValue, property)
    }
}
