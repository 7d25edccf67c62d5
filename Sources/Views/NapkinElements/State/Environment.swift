// Environment: values that views inherit from the views around them.

public import Observation

/// A value of the environment, with its default.
public protocol EnvironmentKey {
    associatedtype Value
    static var defaultValue: Value { get }
}

/// The environment's values.
///
/// ```swift
/// private enum TempoKey: EnvironmentKey { static let defaultValue = 1.0 }
/// extension EnvironmentValues {
///     var tempo: Double { get { self[TempoKey.self] } set { self[TempoKey.self] = newValue } }
/// }
/// ```
public struct EnvironmentValues {
    private var values: [ObjectIdentifier: Any] = [:]
    /// Closes the page. The parent's router decides.
    public var dismiss = DismissAction {}
    /// Whether elements can be pressed, edited and moved.
    public var isEnabled = true
    /// The action of Enter in a field; `nil` leaves it to the screen.
    var submit: (() -> Void)?
    /// The cells of a form's labels; `nil` outside a form.
    var labelWidth: Int?

    public init() {}

    public subscript<Key: EnvironmentKey>(key: Key.Type) -> Key.Value {
        get { values[ObjectIdentifier(key)] as? Key.Value ?? Key.defaultValue }
        set { values[ObjectIdentifier(key)] = newValue }
    }

    fileprivate subscript<Object: AnyObject>(object type: Object.Type) -> Object? {
        get { values[ObjectIdentifier(type)] as? Object }
        set { values[ObjectIdentifier(type)] = newValue }
    }
}

/// Reads a value of the environment: `@Environment(\.dismiss) private var dismiss`.
@propertyWrapper
public struct Environment<Value>: DynamicProperty {
    private final class Box {
        var values = EnvironmentValues()
    }

    private let box = Box()
    private let read: (EnvironmentValues) -> Value

    public init(_ value: KeyPath<EnvironmentValues, Value>) { read = { $0[keyPath: value] } }

    /// Reads an object that ``View/environment(_:)`` provides.
    ///
    /// If no view provides one, the front ends with a message that names the missing type.
    public init(_ type: Value.Type) where Value: AnyObject & Observable {
        read = {
            guard let object = $0[object: type] else {
                preconditionFailure("the environment has no \(type)")
            }
            return object
        }
    }

    public var wrappedValue: Value { read(box.values) }

    func connect(_ kept: AnyObject?, _ environment: EnvironmentValues) -> AnyObject {
        box.values = environment
        return box
    }
}

/// Asks the worker to close the page, or the modal, that contains the view.
public struct DismissAction {
    let dismiss: () -> Void

    package init(_ dismiss: @escaping () -> Void) { self.dismiss = dismiss }

    public func callAsFunction() { dismiss() }
}

extension View {
    /// Returns the view with a value of the environment, inherited by all views inside.
    public func environment<Value>(
        _ value: WritableKeyPath<EnvironmentValues, Value>, _ newValue: Value
    ) -> some View {
        ModifiedView(content: self, before: { $0[keyPath: value] = newValue })
    }

    /// Returns the view with an object in its environment.
    public func environment<Object: AnyObject & Observable>(_ object: Object) -> some View {
        ModifiedView(content: self, before: { $0[object: Object.self] = object })
    }

    /// Returns the view, whose elements cannot be pressed or edited while `isDisabled`.
    public func disabled(_ isDisabled: Bool) -> some View {
        ModifiedView(content: self, before: { $0.isEnabled = $0.isEnabled && !isDisabled })
    }
}
