// FeatureList: the features of an app, and unlisted ones that its tree has shown.
//
// Isolation  value; owned by a stage.

/// A feature that was shown although its app does not list it.
public struct UnlistedFeature: Hashable, Sendable, CustomStringConvertible {
    /// The feature's id.
    public let feature: FeatureID
    /// The feature's Swift type, as the line that lists it writes it.
    public let type: String
    /// The id of the app.
    public let app: String

    public var description: String {
        "the feature '\(feature)' is not listed: add `\(type).self,` to `features` of the app "
            + "'\(app)'"
    }
}

package struct FeatureList: Sendable {
    private let app: String
    private var known: Set<FeatureID>
    /// The features that were shown without being listed, each once.
    package private(set) var unlisted: [UnlistedFeature] = []

    package init(_ features: [any Feature.Type], of app: String) {
        self.app = app
        known = Set(features.map { $0.id })
    }

    /// Reports the node's feature if it is not listed, once for each feature.
    @MainActor
    package mutating func mounted(_ node: FeatureNode) {
        guard known.insert(node.feature).inserted else { return }
        let feature = UnlistedFeature(feature: node.feature, type: "\(node.featureType)", app: app)
        unlisted.append(feature)
        Anomaly.report(.unlistedFeature(feature))
    }
}
