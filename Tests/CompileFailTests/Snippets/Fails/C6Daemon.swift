// C6Daemon: a contract that imports a daemon-side module.

public import NapkinCore
import NapkinDaemon  // expected-error: no such module 'NapkinDaemon'

public enum Board: Feature {
    public static let id: FeatureID = "lunch.board"
}
