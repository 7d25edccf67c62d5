// Setting: a value that an app reads from its configuration, declared with its default.

/// A value that people may choose for an app: its key, its type and its default.
///
/// Declare it next to the app, list it in ``App/settings``, and read it from
/// ``SessionContext/configuration``:
///
/// ```swift
/// static let tick = Setting("tick", default: 4, in: 1...60)
/// ```
///
/// Listed settings are checked before anything runs: `napkind` does not start with a value that the
/// setting does not accept, nor with an unknown key, and names the file, the line and the accepted
/// values.
public struct Setting<Value: SettingValue>: SettingDeclaration {
    public let key: String
    public let shape: String
    /// The default value.
    public let defaultValue: Value
    private let isAllowed: @Sendable (Value) -> Bool

    /// Declares a setting that accepts every value of its type.
    ///
    /// - Parameters:
    ///   - key: 1 to 64 bytes of letters, digits and `-_.`; a dot stands for a level of the file.
    ///   - value: the default value.
    public init(_ key: String, default value: Value) {
        self.init(key, default: value, Value.settingShape) { _ in true }
    }

    /// Declares a setting with a minimum and a maximum value.
    ///
    /// - Parameters:
    ///   - key: 1 to 64 bytes of letters, digits and `-_.`; a dot stands for a level of the file.
    ///   - value: the default value; it may be out of range.
    ///   - range: the values that may be configured.
    public init(
        _ key: String, default value: Value, in range: ClosedRange<Value>
    ) where Value: Comparable {
        let bounds = "\(range.lowerBound.settingText) to \(range.upperBound.settingText)"
        self.init(key, default: value, "\(Value.settingShape) from \(bounds)") {
            range.contains($0)
        }
    }

    private init(
        _ key: String, default value: Value, _ shape: String,
        _ isAllowed: @escaping @Sendable (Value) -> Bool
    ) {
        precondition(
            (1...64).contains(key.utf8.count)
                && key.utf8.allSatisfy { $0.isLetterOrDigit || "-_.".utf8.contains($0) },
            "'\(key)' is not a valid key of a setting: use 1 to 64 letters, digits and -_.")
        self.key = key
        self.shape = shape
        self.isAllowed = isAllowed
        defaultValue = value
    }

    /// Parses a value; `nil` if the setting does not accept it.
    func value(of text: String) -> Value? {
        Value(settingText: text).flatMap { isAllowed($0) ? $0 : nil }
    }

    public func accepts(_ text: String) -> Bool { value(of: text) != nil }
}

/// A setting of any type, as ``App/settings`` lists it. Use ``Setting``.
public protocol SettingDeclaration: Sendable {
    /// The setting's name in the file and on the command line.
    var key: String { get }
    /// The accepted values, in words: `a whole number from 1 to 60`.
    var shape: String { get }
    /// Returns whether the setting accepts the text.
    func accepts(_ text: String) -> Bool
}

/// A type that a setting may have: `Int`, `Double`, `Bool`, `String`, `Duration`, or an enum of
/// strings that is `CaseIterable`.
public protocol SettingValue: Sendable {
    /// The type in words, with an article: `a whole number`.
    static var settingShape: String { get }
    /// Parses a value as people write it; `nil` if the text is not a value.
    init?(settingText: String)
    /// The value as people write it.
    var settingText: String { get }
}

extension Int: SettingValue {
    public static var settingShape: String { "a whole number" }
    public init?(settingText: String) { self.init(settingText) }
    public var settingText: String { description }
}

extension Double: SettingValue {
    public static var settingShape: String { "a number" }

    /// Parses a number; infinity and NaN are refused.
    public init?(settingText: String) {
        guard let value = Double(settingText), value.isFinite else { return nil }
        self = value
    }

    public var settingText: String { description }
}

extension Bool: SettingValue {
    public static var settingShape: String { "true or false" }
    public init?(settingText: String) { self.init(settingText) }
    public var settingText: String { description }
}

extension String: SettingValue {
    public static var settingShape: String { "a text" }
    public init?(settingText: String) { self = settingText }
    public var settingText: String { self }
}

extension Duration: SettingValue {
    public static var settingShape: String { "a duration such as 250ms, 30s, 5m or 2h" }

    private static let settingUnits: [(suffix: String, milliseconds: Double)] = [
        ("ms", 1), ("s", 1000), ("m", 60_000), ("h", 3_600_000),
    ]

    /// Reads a number of `ms`, `s`, `m` or `h`, which is not negative and at most a million hours.
    public init?(settingText: String) {
        for unit in Self.settingUnits where settingText.hasSuffix(unit.suffix) {
            guard let count = Double(settingText.dropLast(unit.suffix.count)) else { continue }
            let milliseconds = count * unit.milliseconds
            guard (0...3.6e12).contains(milliseconds) else { return nil }
            self = .milliseconds(milliseconds)
            return
        }
        return nil
    }

    public var settingText: String {
        "\(self / .milliseconds(1))ms".replacing(suffix: ".0ms", with: "ms")
    }
}

extension UInt8 {
    /// Whether it is an ASCII letter or digit.
    package var isLetterOrDigit: Bool {
        switch self {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
        case UInt8(ascii: "0")...UInt8(ascii: "9"): true
        default: false
        }
    }
}

extension String {
    fileprivate func replacing(suffix: String, with other: String) -> String {
        hasSuffix(suffix) ? dropLast(suffix.count) + other : self
    }
}

extension SettingValue where Self: RawRepresentable & CaseIterable, RawValue == String {
    public static var settingShape: String {
        "one of " + allCases.map(\.rawValue).joined(separator: ", ")
    }
    public init?(settingText: String) { self.init(rawValue: settingText) }
    public var settingText: String { rawValue }
}
