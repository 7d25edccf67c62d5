// Errand: a feature without a view.

public import NapkinCore

/// Runs whether or not a front is attached; no front ever has to know of it.
public enum Errand: Feature {
    public static let id: FeatureID = "sample.errand"
}
