// FlightMemory: the memory that napkind shares with a worker, and the handover in it.
//
// Spec       Protocol/FLIGHT.md, sections 1 (The memory) and 4 (The handover)

import NapkinCoding

/// The memory that napkind shares with a worker: the page, the handover and the arguments.
public enum FlightMemory {
    /// The bytes reserved for a handover. Chosen: the suspects with the longest names take less.
    private static let handoverBytes = 44_032
    /// The place of the arguments.
    public static let arguments = FlightPage.bytes + handoverBytes
    /// The size of the memory.
    public static let bytes = arguments + FlightArguments.bytes

    /// The facts that napkind passes to a worker's next process.
    public struct Handover: Codable, Hashable, Sendable {
        /// The inputs that have ended workers of the app.
        public var suspects: [QuarantineStateMachine.Suspect] = []
        /// The number of fronts that were attached when the former process died.
        public var fronts = 0

        public init(_ suspects: [QuarantineStateMachine.Suspect] = [], fronts: Int = 0) {
            (self.suspects, self.fronts) = (suspects, fronts)
        }
    }

    /// Returns what napkind writes behind the page; `nil` if it does not fit.
    public static func bytes(of handover: Handover) -> [UInt8]? {
        var writer = CBORWriter()
        // Only a text that is too long could not be written.
        guard (try? writer.write(handover)) != nil else { return nil }
        let bytes = writer.copyBytes()
        guard bytes.count + 4 <= handoverBytes else { return nil }
        return withUnsafeBytes(of: UInt32(bytes.count).littleEndian, Array.init) + bytes
    }

    /// Reads what napkind has written; nothing if that cannot be read.
    public static func handover(in memory: UnsafeRawBufferPointer) -> Handover {
        let start = FlightPage.bytes + 4
        guard memory.count >= start else { return Handover() }
        let count = Int(memory.loadUnaligned(fromByteOffset: FlightPage.bytes, as: UInt32.self))
        guard count <= memory.count - start else { return Handover() }
        let bytes = UnsafeRawBufferPointer(rebasing: memory[start..<start + count])
        return bytes.decoded(Handover.self) ?? Handover()
    }
}
