// Announcements: the crier between the pit and the guests.
//
// Layer      contract: shared by the worker and its fronts.
// Isolation  none of its own.

public import NapkinCore

/// Has no view and is never mounted; it runs whether or not a front is attached.
public enum Announcements: Feature {
    public static let id: FeatureID = "rib-house.announcements"
}
