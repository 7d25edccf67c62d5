// Repository: where the sources are that a test was built from.

import Foundation

package enum Repository {
    /// Its path: the first directory above this file that has the protocol; `NAPKIN_ROOT` names it
    /// where the tests are built elsewhere.
    package static let root: String = {
        if let path = ProcessInfo.processInfo.environment["NAPKIN_ROOT"] { return path }
        var directory = URL(filePath: #filePath)
        repeat {
            directory.deleteLastPathComponent()
        } while directory.path != "/"
            && !FileManager.default.fileExists(atPath: directory.path + "/Protocol/SPEC.md")
        return directory.path
    }()
}
