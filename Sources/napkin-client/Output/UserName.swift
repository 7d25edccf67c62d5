// UserName: what a user's number is called here.
//
// Layer      executable, output.
// Isolation  none of its own; the program has one thread that asks.
// Spec       getpwuid(3)

import Glibc

/// Users' names.
enum UserName {
    /// The name, or the number in decimal where there is no such user.
    static func of(_ uid: UInt32) -> String {
        guard let entry = getpwuid(uid), let name = entry.pointee.pw_name else { return "\(uid)" }
        return String(cString: name)
    }
}
