// HeldInfo+Files: the held programs of a session, from the files of their keepers.

package import NapkinProtocol
package import NapkinTransport

extension HeldInfo {
    /// The most programs that are listed for a session. Chosen: reading that many files takes
    /// some milliseconds.
    private static let programsMax = 256

    package init(_ key: String, _ facts: HeldFacts) {
        let state: State =
            switch facts.state {
            case .starting, .running: .running
            case .ended: .ended
            case .keeperKilled, .machineRestarted: .lost
            }
        self.init(
            key: key, state: state,
            pid: facts.isAlive && facts.program > 0 ? facts.program : nil,
            command: facts.command)
    }

    /// Returns the programs in a session's directory by their keys; `nil` if there are none.
    package static func all(in directory: String) -> [HeldInfo]? {
        let programs = HeldFiles.names(in: directory).prefix(programsMax).compactMap { key in
            HeldFiles("\(directory)/\(key)\(HeldFiles.suffix)")?.facts()
                .map { HeldInfo(key, $0) }
        }
        return programs.isEmpty ? nil : programs
    }
}
