// FocusState: tells a view which of its elements has the focus, and moves the focus.

/// Whether an element has the focus, or which one has it.
///
/// ```swift
/// @FocusState private var isWriting: Bool
/// TextField("words", text: $words).focused($isWriting)
/// ```
///
/// Setting it moves the focus as soon as the element is on the screen.
@propertyWrapper
public struct FocusState<Value: Hashable>: DynamicProperty {
    private let box: StateBox<Value>

    public init() where Value == Bool { box = StateBox(false) }

    public init<Name: Hashable>() where Value == Name? { box = StateBox(nil) }

    public var wrappedValue: Value {
        get { box.value }
        nonmutating set { box.value = newValue }
    }

    public var projectedValue: FocusState<Value>.Binding { Binding(binding: box.binding) }

    func connect(_ kept: AnyObject?, _ environment: EnvironmentValues) -> AnyObject {
        box.connect(kept)
    }

    /// Connects an element with the focus of a view.
    public struct Binding {
        fileprivate let binding: NapkinElements.Binding<Value>

        public var wrappedValue: Value {
            get { binding.wrappedValue }
            nonmutating set { binding.wrappedValue = newValue }
        }
    }
}

extension View {
    /// Returns the element, focused while the value is true.
    public func focused(_ isFocused: FocusState<Bool>.Binding) -> some View {
        focused(isFocused.binding)
    }

    /// Returns the element, focused while the value is `name`.
    public func focused<Name: Hashable>(
        _ focus: FocusState<Name?>.Binding, equals name: Name
    ) -> some View {
        focused(
            Binding(
                get: { focus.wrappedValue == name },
                set: { isFocused in
                    if isFocused {
                        focus.wrappedValue = name
                    } else if focus.wrappedValue == name {
                        focus.wrappedValue = nil
                    }
                }))
    }

    /// Returns the view with the element to focus when it appears; until that element is on the
    /// screen, the focus is elsewhere.
    public func defaultFocus<Value: Hashable>(
        _ focus: FocusState<Value>.Binding, _ value: Value
    ) -> some View {
        onChange(of: true, initial: true) { focus.wrappedValue = value }
    }

    /// Returns the element, focused while the value is true.
    package func focused(_ isFocused: Binding<Bool>) -> some View {
        modified { .modified(.focused(isFocused), $0) }
    }
}
