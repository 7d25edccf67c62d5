// CrossingNames: maps the numbers of an app's methods to their names.

import NapkinCore

/// Names by feature and number. Numbers that fronts invent share one name, so that they cannot fill
/// a table.
struct CrossingNames {
    /// The name for a number that no method of the feature has.
    static let unknown = "?"

    private var names: [String: [UInt32: String]] = [:]

    init(_ features: [any Feature.Type]) {
        for feature in features {
            let schema = feature.schema
            var own: [UInt32: String] = [
                MethodID.dismiss.rawValue: "dismiss()",
                MethodID.selectTab.rawValue: "select(tab:)",
                MethodID.readLog.rawValue: "read(log:before:count:)",
            ]
            for method in schema.presents + schema.listens { own[method.id.rawValue] = method.key }
            names[schema.feature] = own
        }
    }

    func name(of method: UInt32, in feature: String) -> String {
        names[feature]?[method] ?? Self.unknown
    }
}
