// Launch: the root of a session; a plain container for the door or the table.

public import NapkinCore

/// The root. Exactly one of `LoggedOut` and `LoggedIn` is embedded in it.
public enum Launch: Feature {
    public static let id: FeatureID = "rib-house.launch"
}
