// SequenceTableTests: the table of outstanding events, against a dictionary.

import Testing

@testable import NapkinRuntime

struct SequenceTableTests {
    @Test func `any order of removal finds what was added`() {
        var random = SystemRandomNumberGenerator()
        var table = SequenceTable<Int>()
        var model: [UInt64: Int] = [:]
        var sequence: UInt64 = 0
        for step in 0..<20_000 {
            if model.count < 64, Bool.random(using: &random) {
                sequence += UInt64.random(in: 1...3, using: &random)
                table.append(step, at: sequence)
                model[sequence] = step
            } else {
                let wanted = UInt64.random(in: 0...(sequence + 2), using: &random)
                let key = model.keys.randomElement(using: &random).map {
                    Bool.random(using: &random) ? $0 : wanted
                }
                #expect(table.remove(key ?? wanted) == model.removeValue(forKey: key ?? wanted))
            }
            #expect(table.count == model.count)
        }
        #expect(table.removeAll() == model.sorted { $0.key < $1.key }.map(\.value))
        #expect(table.isEmpty)
    }
}
