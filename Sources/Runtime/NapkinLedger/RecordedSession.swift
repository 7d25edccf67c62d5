// RecordedSession: the requirements of a ledger for its session.
//
// Ownership  the session owns its ledger, which refers to it weakly.

package import NapkinCore

/// A session whose changes a ledger records.
@MainActor
package protocol RecordedSession: AnyObject {
    /// The event of this session that a call handles; `nil` once it has been answered.
    func event(of call: IncomingCall) -> BegunEvent?
    /// The fronts that the session knows, with the newest event of each.
    var knownFronts: [FrontChange] { get }
    /// The greatest number that a front has had.
    var newestFront: UInt64 { get }
    /// The root of the tree, which may be growing.
    var rootCore: RouterCore? { get }
    /// Returns the signature of a feature's method.
    func signature(of method: UInt32, in feature: FeatureID) -> String
    /// Drops unsent effects, given by their frames.
    func withdraw(_ frames: [[UInt8]])
    /// Returns the frame that answers an interrupted event of this number.
    func interruption(of sequence: UInt64) -> [UInt8]
    /// A timer's firing or a job is about to run in the call's task: the worker notes it.
    func begins(_ input: ScheduledInput, of feature: FeatureID, in call: IncomingCall)
    /// The input that runs has changed a durable state: the worker notes it.
    func changes()
    /// Returns the receipt of the newest death of a worker in this input, and whether the input
    /// must not run again; `nil` if no death is known.
    func death(in input: ScheduledInput, of feature: FeatureID) -> (
        receipt: UInt64, isSetAside: Bool
    )?
    /// From now on, everything that the session has sent depends on the journal.
    func becameDurable()
}
