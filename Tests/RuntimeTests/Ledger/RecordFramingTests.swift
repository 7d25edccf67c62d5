// RecordFramingTests: a group gives its records back, or names what is wrong with it.

import NapkinCoding
import TestSupport
import Testing

@testable import NapkinLedger

struct RecordFramingTests {
    private let records: [[UInt8]] = [
        [], [1], Array(0..<13), Array("a record, or so".utf8), [UInt8](repeating: 0, count: 40),
    ]

    /// What a group that may be damaged gives: the records, or `nil` and a named error.
    private func read(_ group: [UInt8], _ number: GroupNumber = 7) -> [[UInt8]]? {
        do {
            return try RecordFraming.records(in: group, number: number)
        } catch {
            #expect(!error.description.isEmpty)
            return nil
        }
    }

    @Test(arguments: [1, 7, 0x1_0000_0001, GroupNumber.max])
    func `records come out as they went in`(number: GroupNumber) throws {
        for count in 0...records.count {
            let some = Array(records[..<count])
            let group = RecordFraming.frame(some, number: number)
            let overhead =
                RecordFraming.headerBytes + count * RecordFraming.recordOverheadBytes
            #expect(group.count == overhead + some.reduce(0) { $0 + $1.count })
            #expect(try RecordFraming.records(in: group, number: number) == some)
        }
    }

    @Test func `the bytes are those of the specification`() {
        let payload = Array("123456789".utf8)
        let header: [UInt8] = [
            0x4E, 0x4B, 0x47, 0x31, 2, 1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0xBC, 0xC5, 0x5D, 0xB9,
        ]
        let record = [9, 0, 0, 0, 0x83, 0x92, 0x06, 0xE3] + payload + [9, 0, 0, 0]
        #expect(RecordFraming.frame([payload], number: 258) == header + record)
    }

    @Test func `a group has nothing of the one before, nor of what was too large`() throws {
        var writer = GroupWriter()
        for number in GroupNumber(1)...3 {
            for record in records.prefix(Int(number)) { try writer.append(encoded: record) }
            let large = [UInt8](repeating: 0, count: RecordFraming.recordBytesMax + 1)
            #expect(throws: CBORError.self) { try writer.append(encoded: large) }
            let expected = RecordFraming.frame(Array(records.prefix(Int(number))), number: number)
            #expect(writer.take(number) == expected)
        }
    }

    @Test func `a group that is cut anywhere is refused`() {
        let group = RecordFraming.frame(records, number: 7)
        for count in 0..<group.count {
            #expect(read(Array(group[..<count])) == nil, "\(count) bytes")
            #expect(read(Array(group[(group.count - count)...])) == nil, "\(count) bytes")
        }
        #expect(read(group + [0]) == nil)
    }

    @Test func `a group with any bit changed is refused`() {
        let group = RecordFraming.frame(records, number: 7)
        for bit in 0..<group.count * 8 {
            var changed = group
            changed[bit / 8] ^= 1 << (bit % 8)
            #expect(read(changed) == nil, "bit \(bit)")
        }
    }

    @Test func `each error names what is wrong`() throws {
        let group = RecordFraming.frame([[1, 2], [3, 4]], number: 7)
        func error(_ number: GroupNumber = 7, _ change: (inout [UInt8]) -> Void) -> RecordError? {
            var group = group
            change(&group)
            return #expect(throws: RecordError.self) {
                try RecordFraming.records(in: group, number: number)
            }
        }
        #expect(error { $0[0] = 0 } == .notGroup)
        #expect(error(8) { _ in } == .number(7))
        #expect(error { $0.removeLast() } == .short(at: 44))
        #expect(error { $0[12] = 0xFF } == .short(at: 48))
        #expect(error { $0[23] = 4 } == .large(at: 20))
        #expect(error { $0[30] = 3 } == .lengths(at: 20))
        #expect(error { $0[42] = 0 } == .checksum(at: 34))
        #expect(error { $0 += [0] } == .trailing(at: 48))
    }

    @Test func `records that change places, or come from another group, are refused`() {
        let one = RecordFraming.frame([[1, 2], [3, 4]], number: 7)
        let other = RecordFraming.frame([[5, 6], [7, 8]], number: 7)
        let swapped = Array(one[..<20] + one[34...] + one[20..<34])
        let mixed = Array(one[..<34] + other[34...])
        for group in [swapped, mixed] {
            #expect(throws: RecordError.checksum(at: 16)) {
                try RecordFraming.records(in: group, number: 7)
            }
        }
    }

    @Test func `random bytes are refused, and so are random changes`() {
        var randomness = Randomness(seed: 20)
        let start = Array(RecordFraming.frame(records, number: 7)[..<16])
        for _ in 0..<20_000 {
            let bytes = (0..<randomness.below(80)).map { _ in
                UInt8(truncatingIfNeeded: randomness.next())
            }
            #expect(read(bytes) == nil)
            #expect(read(start + bytes) == nil)
        }
    }

    @Test func `a record above the limit is a programmer's error`() async {
        await #expect(processExitsWith: .failure) {
            let record = [UInt8](repeating: 0, count: RecordFraming.recordBytesMax + 1)
            _ = RecordFraming.frame([record], number: 1)
        }
        let largest = [UInt8](repeating: 0, count: RecordFraming.recordBytesMax)
        #expect(read(RecordFraming.frame([largest], number: 7)) == [largest])
    }

    // MARK: - The checksum

    /// RFC 3720, appendix B.4, and the check of the catalogues of checksums.
    @Test(
        arguments: [
            ([UInt8](repeating: 0, count: 32), 0x8A91_36AA),
            ([UInt8](repeating: 0xFF, count: 32), 0x62A8_AB43),
            (Array(0..<32), 0x46DD_794E),
            ((0..<32).reversed(), 0x113F_DB5C),
            (
                [
                    0x01, 0xC0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x14, 0, 0, 0, 0, 0, 4, 0,
                    0,
                    0, 0, 0x14, 0, 0, 0, 0x18, 0x28, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0,
                ], 0xD996_3A56
            ),
            (Array("123456789".utf8), 0xE306_9283), ([], 0),
        ] as [([UInt8], UInt32)])
    func `the checksum is CRC-32C`(bytes: [UInt8], expected: UInt32) {
        #expect(bytes.withUnsafeBytes { CRC32C.of($0) } == expected)
        for split in 0...bytes.count {
            var checksum = CRC32C()
            checksum.add(Array(bytes[..<split]))
            checksum.add(Array(bytes[split...]))
            #expect(checksum.value == expected)
        }
    }
}
