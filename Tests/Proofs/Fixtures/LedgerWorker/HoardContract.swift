// HoardContract: a durable child in a process, which counts coins together with its parent.

package import NapkinCore

package enum Hoard: Feature {
    package static let id: FeatureID = "kiln.hoard"
    package typealias Presenting = HoardPresentableCrossing
    package typealias Listening = HoardPresentableListenerCrossing
}

@Crossing @MainActor
package protocol HoardPresentable: Presentable {
    func present(coins: Int64) async
    /// How it has begun: the number of its process, and the events that were interrupted.
    func present(origin: String) async
    @Append func entry(_ line: String) async
}

@Crossing
package protocol HoardPresentableListener: PresentableListener {
    /// Adds coins, tells the parent in the same stretch and returns how many there are.
    func put(_ coins: Int64) async throws -> Int64
    /// Adds coins, presents them and throws.
    func spoil(_ coins: Int64) async throws
    /// Adds coins, and waits until somebody releases it.
    func hold(_ coins: Int64) async throws
    /// Adds coins, presents them and ends its process by a trap, in one stretch.
    func burst(_ coins: Int64) async throws
    /// Has so many MiB kept, and presents its coins.
    func grow(_ mebibytes: Int64) async throws
    /// Has itself detached, then adds coins and tells the parent.
    func leave(_ coins: Int64) async throws
    /// Sets a timer, which no child in a process can have.
    func schedule() async throws
}

@Crossing
package protocol HoardListener: PresentableListener {
    func hoardGot(_ coins: Int64) async throws
    /// Returns when somebody releases the child.
    func hoardWaits() async throws
    /// Detaches the child.
    func hoardLeaves() async throws
}
