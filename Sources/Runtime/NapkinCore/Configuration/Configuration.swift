// Configuration: the values that people have chosen for an app's settings.
//
// Invariant  each text is accepted by the setting that has its key.

/// The values of an app's settings.
///
/// ```swift
/// let tick = session.configuration[Self.tick]
/// ```
public struct Configuration: Sendable {
    /// The texts that were configured, by key.
    private let texts: [String: String]
    /// The keys that the app lists; `nil` where everything has its default.
    private let listed: Set<String>?

    /// A configuration in which every setting has its default.
    public init() {
        texts = [:]
        listed = nil
    }

    /// Checks configured values.
    ///
    /// - Parameters:
    ///   - texts: the values as people write them, by key.
    ///   - settings: the settings that the app lists.
    /// - Throws: the first mistake, in the order of the keys.
    package init(
        _ texts: [String: String], of settings: [any SettingDeclaration]
    ) throws(ConfigurationMistake) {
        let declarations = Dictionary(settings.map { ($0.key, $0) }) { first, _ in first }
        for (key, text) in texts.sorted(by: { $0.key < $1.key }) {
            guard let declaration = declarations[key] else {
                throw ConfigurationMistake(key: key, problem: .unknownKey)
            }
            guard declaration.accepts(text) else {
                throw ConfigurationMistake(
                    key: key, problem: .value(text, shape: declaration.shape))
            }
        }
        self.texts = texts
        listed = Set(declarations.keys)
    }

    /// The setting's configured value, else its default.
    ///
    /// The setting must be in ``App/settings``; otherwise nobody could configure it.
    public subscript<Value>(setting: Setting<Value>) -> Value {
        precondition(
            listed?.contains(setting.key) ?? true,
            "the setting '\(setting.key)' is not listed: add it to the app's `settings`")
        return texts[setting.key].flatMap(setting.value) ?? setting.defaultValue
    }
}

package struct ConfigurationMistake: Error, Hashable {
    package enum Problem: Hashable, Sendable {
        /// No setting has this key.
        case unknownKey
        /// The setting does not accept the value.
        case value(String, shape: String)
    }

    package var key: String
    package var problem: Problem
}
