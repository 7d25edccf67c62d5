// Binding: read and write access to a value that is kept elsewhere.

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
    public init(projectedValue: Binding<Value>) {
        self = projectedValue
    }

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
    public subscript<Part>(
        dynamicMember part: WritableKeyPath<Value, Part>
    ) -> Binding<Part> {
        Binding<Part>(
            get: { wrappedValue[keyPath: part] }, set: { wrappedValue[keyPath: part] = $0 })
    }
}
