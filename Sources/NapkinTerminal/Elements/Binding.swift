// Binding: a value that an element shows and changes, and that somebody else keeps.
//
// Layer      terminal, elements.
// Isolation  @MainActor.

/// Reads and writes a value that a view keeps.
///
/// ```swift
/// List(rows, selection: rowsModel) { Text($0.name) }.focused(Binding(self, \.isListFocused))
/// ```
@propertyWrapper
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

    public var wrappedValue: Value {
        get { get() }
        nonmutating set { set(newValue) }
    }
}
