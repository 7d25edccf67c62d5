// SessionLoads: exported sessions that arrive part by part.
//
// Isolation  value; owned by the worker host. Time is a parameter.
// Invariant  at most `LedgerLimits.loadsMax` are kept, each with `LedgerLimits.exportBytesMax`, and
//            for `Limits.answerSeconds` after its newest part.

import NapkinProtocol

/// The parts that have arrived, by the names under which sessions will be loaded.
struct SessionLoads {
    private struct Load {
        var bytes: [UInt8] = []
        var newest: UInt64
    }

    private var loads: [String: Load] = [:]

    /// Adds a part; returns the complete file if the part is the last one.
    ///
    /// - Parameter now: in milliseconds.
    mutating func add(
        _ bytes: [UInt8], at offset: UInt64, isLast: Bool, of name: String, now: UInt64
    ) throws(Refusal) -> [UInt8]? {
        let life = UInt64(Limits.answerSeconds) * 1000
        loads = loads.filter { $0.value.newest + life > now }
        if offset == 0 {
            guard loads[name] != nil || loads.count < LedgerLimits.loadsMax else {
                throw Refusal(
                    .overloaded,
                    "\(LedgerLimits.loadsMax) sessions are being imported, which is the limit: try "
                        + "again")
            }
            loads[name] = Load(newest: now)
        }
        guard var load = loads.removeValue(forKey: name), load.bytes.count == offset,
            load.bytes.count + bytes.count <= LedgerLimits.exportBytesMax
        else {
            throw Refusal(
                .badRequest, "the import of session '\(name)' was interrupted: begin again")
        }
        load.bytes += bytes
        if isLast { return load.bytes }
        load.newest = now
        loads[name] = load
        return nil
    }
}
