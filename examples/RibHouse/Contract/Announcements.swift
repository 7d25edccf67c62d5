// Announcements: the feature that announces last calls from the pit to the guests.

public import NapkinCore

/// A feature that has no view and is never mounted; it runs even if no front is attached.
public enum Announcements: Feature {
    public static let id: FeatureID = "rib-house.announcements"
}
