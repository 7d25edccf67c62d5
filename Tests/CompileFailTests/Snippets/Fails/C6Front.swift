// C6Front: a contract that imports a front-side module.

public import NapkinCore
import NapkinFront  // expected-error: no such module 'NapkinFront'

public enum Board: Feature {
    public static let id: FeatureID = "lunch.board"
}
