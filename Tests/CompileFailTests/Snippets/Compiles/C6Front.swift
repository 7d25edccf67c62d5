// C6Front: a contract imports the core and nothing else of ours.

public import NapkinCore

public enum Board: Feature {
    public static let id: FeatureID = "lunch.board"
}
