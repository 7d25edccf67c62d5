// CrashFiles: the files about an app's deaths, `crash/APP` in the state directory.

import Glibc
package import NapkinTransport

/// Names the files of each receipt. napkind writes the receipts, and workers the rest.
package struct CrashFiles: Sendable {
    /// The contents of a file; the raw value is the end of its name.
    package enum Kind: String, CaseIterable, Sendable {
        case receipt = ".receipt"
        /// The receipt's session as it was stored after the death.
        case image = ".image"
        /// The session as it was before it was rolled back.
        case session = ".session"
        /// The same, until the older record has been launched or has failed as well.
        case trial = ".session.trial"
    }

    package let directory: SocketDirectory

    package func path(_ receipt: UInt64, _ kind: Kind) -> String {
        "\(directory.path)/\(receipt)\(kind.rawValue)"
    }

    /// Returns the path if there is such a file.
    package func existing(_ receipt: UInt64, _ kind: Kind) -> String? {
        let path = path(receipt, kind)
        return access(path, F_OK) == 0 ? path : nil
    }

    /// Returns the contents; `nil` if there is no such file, or it cannot be read or trusted.
    package func bytes(_ receipt: UInt64, _ kind: Kind, bytesMax: Int) -> [UInt8]? {
        // The caller that needs the file reports that it is missing.
        try? CheckedFile(path: path(receipt, kind), bytesMax: bytesMax).bytes()
    }

    /// Returns the numbers of the receipts that have such a file, in order.
    package func receipts(with kind: Kind) -> [UInt64] {
        (DirectoryNames.of(directory.path, ending: kind.rawValue) ?? [])
            .compactMap(UInt64.init).sorted()
    }
}
