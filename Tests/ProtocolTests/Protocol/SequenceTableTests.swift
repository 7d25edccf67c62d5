// SequenceTableTests: the table of outstanding events, against a dictionary.

import Testing

@testable import NapkinProtocol

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
            } else if Int.random(in: 0..<8, using: &random) == 0 {
                let most = UInt64.random(in: 0...(sequence + 2), using: &random)
                let first = model.keys.min().flatMap { $0 <= most ? $0 : nil }
                let value = first.flatMap { model.removeValue(forKey: $0) }
                #expect(table.removeFirst(through: most) == value)
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

    @Test(arguments: [1, 2, 3, 100])
    func `what is never answered does not keep what is`(_ stuck: Int) {
        var table = SequenceTable<Int>()
        for sequence in 1...stuck { table.append(-sequence, at: UInt64(sequence)) }
        for step in 0..<10_000 {
            let sequence = UInt64(stuck + 1 + step)
            table.append(step, at: sequence)
            #expect(table.remove(sequence) == step)
            #expect(table.remove(sequence) == nil)
        }
        #expect(table.count == stuck)
        #expect(table.remove(1) == -1)
        #expect(table.removeAll() == (1...stuck).dropFirst().map { -$0 })
        #expect(table.remove(UInt64(stuck)) == nil)
    }

    @Test func `answers in order, and in the opposite order, empty the table`() {
        for isReversed in [false, true] {
            var table = SequenceTable<UInt64>()
            let sequences = Array(UInt64(1)...1000)
            for sequence in sequences { table.append(sequence, at: sequence) }
            for sequence in isReversed ? sequences.reversed() : sequences {
                #expect(table.remove(sequence) == sequence)
            }
            #expect(table.isEmpty)
            // Empty, it takes any number that comes next.
            table.append(1, at: 1)
            #expect(table.remove(1) == 1)
        }
    }

    @Test func `a number that does not ascend is a mistake of the program`() async {
        await #expect(processExitsWith: .failure) {
            var table = SequenceTable<Int>()
            table.append(0, at: 2)
            table.append(0, at: 2)
        }
    }
}
