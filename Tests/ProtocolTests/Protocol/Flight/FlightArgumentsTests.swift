// FlightArgumentsTests: which arguments a worker's memory still has.

import NapkinProtocol
import TestSupport
import Testing

struct FlightArgumentsTests {
    /// The memory of a worker, and how long the arguments of each input were.
    private final class Memory {
        let bytes = UnsafeMutableRawBufferPointer.allocate(
            byteCount: FlightMemory.bytes, alignment: 64)
        let page: FlightPage
        private var count: UInt64 = 0

        init() {
            bytes.initializeMemory(as: UInt8.self, repeating: 0)
            let start = bytes.baseAddress.unsafelyUnwrapped
            page = FlightPage(
                at: start, keeping: FlightArguments(at: start + FlightMemory.arguments))
        }

        deinit { bytes.deallocate() }

        /// Notes an event whose arguments are so many bytes of its number.
        func note(_ length: Int) {
            count += 1
            Array("a".utf8).withUnsafeBytes {
                page.begin(FlightInput(.event, session: "a", sequence: count), name: $0)
            }
            Self.arguments(count, length).withUnsafeBytes { page.keep($0) }
        }

        static func arguments(_ number: UInt64, _ length: Int) -> [UInt8] {
            Array(repeating: UInt8(truncatingIfNeeded: number), count: length)
        }

        var inputs: [FlightInput] {
            let recording = FlightRecording(Array(bytes))
            return recording.former + [recording.running].compactMap(\.self)
        }
    }

    @Test(arguments: [0, 1, 63, 64, 1000, 2047, 2048, 2049, 16_383, 16_384])
    func `the newest inputs have their arguments, as many as there is room for`(length: Int) {
        let memory = Memory()
        for count in 1...200 {
            memory.note(length)
            let inputs = memory.inputs
            #expect(inputs.count == min(count, FlightPage.recordsMax))
            let known = inputs.filter { $0.arguments != nil }
            // Never one between two that are known.
            #expect(known == Array(inputs.suffix(known.count)))
            let fitting = length == 0 ? Int.max : 128 * 1024 / length
            #expect(known.count >= min(inputs.count, fitting - 1))
            let areRight = known.allSatisfy {
                $0.arguments == Memory.arguments($0.sequence, length)
            }
            #expect(areRight)
        }
    }

    @Test func `arguments that are too long are not kept, and take no room`() {
        let memory = Memory()
        memory.note(10)
        memory.note(FlightArguments.bytesMax + 1)
        memory.note(20)
        #expect(memory.inputs.map { $0.arguments?.count } == [10, nil, 20])
    }

    @Test func `without memory for them no arguments are kept`() {
        let bytes = UnsafeMutableRawBufferPointer.allocate(
            byteCount: FlightPage.bytes, alignment: 64)
        defer { bytes.deallocate() }
        let page = FlightPage(at: bytes.baseAddress.unsafelyUnwrapped)
        Array("a".utf8).withUnsafeBytes {
            page.begin(FlightInput(.event, session: "a", sequence: 5), name: $0)
            page.keep($0)
        }
        let input = FlightRecording(Array(bytes)).running
        #expect(input?.sequence == 5 && input?.arguments == nil)
    }

    @Test(arguments: 0..<8) func `no byte of the memory traps its reader`(seed: UInt64) {
        let memory = Memory()
        var random = Randomness(seed: seed)
        for _ in 1...FlightPage.recordsMax {
            memory.note(Int.random(in: 0...4000, using: &random))
        }
        let sound = Array(memory.bytes)
        for _ in 0..<200 {
            var bytes = sound
            for _ in 0..<Int.random(in: 1...40, using: &random) {
                // Most of what is read is at the beginning of each part.
                let start = Bool.random(using: &random) ? 8 : FlightMemory.arguments
                let index = start + Int.random(in: 0..<2200, using: &random)
                bytes[index] = [0, 1, 127, 128, 255].randomElement(using: &random) ?? 0
            }
            let recording = FlightRecording(bytes)
            let areBounded = recording.former.allSatisfy {
                ($0.arguments?.count ?? 0) <= FlightArguments.bytesMax
            }
            #expect(areBounded)
        }
    }
}
