// TemporaryDirectory: a directory for one test, on a path that is short enough for sockets.

import Foundation

/// A new directory, below /tmp if nothing else is said; removed with everything in it when it is
/// released.
package final class TemporaryDirectory: Sendable {
    package let path: String

    package init(in parent: String = "/tmp") {
        var template = Array((parent + "/nk.XXXXXX").utf8CString)
        guard let path = mkdtemp(&template) else {
            preconditionFailure("no directory in \(parent): errno \(errno)")
        }
        self.path = String(cString: path)
    }

    /// The path of a file in it.
    package func callAsFunction(_ name: String) -> String { path + "/" + name }

    deinit {
        // What is left of a test that is over does not matter.
        try? FileManager.default.removeItem(atPath: path)
    }
}
