// UserName: the name that belongs to a user id on this machine.
//
// Isolation  none of its own; only one thread of the program uses it.
// Spec       getpwuid(3)

import Glibc

enum UserName {
    /// Returns the name, or the number in decimal if there is no such user.
    static func of(_ uid: UInt32) -> String {
        guard let entry = getpwuid(uid), let name = entry.pointee.pw_name else { return "\(uid)" }
        return String(cString: name)
    }
}
