// StartApps: the apps of this target, for the executables that host them.
//
// Layer      test executable.
// Isolation  value.

package import NapkinCore

/// Two apps whose sessions run also while no front is there.
package enum StartApps {
    package static let till: any App.Type = TillApp.self
    package static let guest: any App.Type = GuestApp.self
}
