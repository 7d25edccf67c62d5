// FlightPageTests: what a worker's page says after its death.

import NapkinCoding
import NapkinProtocol
import TestSupport
import Testing

struct FlightPageTests {
    /// A page in memory, as a worker has it.
    private final class Memory {
        let bytes = UnsafeMutableRawBufferPointer.allocate(
            byteCount: FlightPage.bytes, alignment: 64)
        let page: FlightPage

        init() {
            page = FlightPage(at: bytes.baseAddress.unsafelyUnwrapped)
        }

        deinit { bytes.deallocate() }

        var recording: FlightRecording { FlightRecording(Array(bytes)) }

        func begin(_ input: FlightInput, waiting: UInt16 = 0) {
            var session = input.session
            session.withUTF8 {
                page.begin(input, name: UnsafeRawBufferPointer($0), waiting: waiting)
            }
        }

        func dies(in record: [UInt8]?, by signal: Int32 = 4) {
            guard let record else { return page.dies(by: signal, in: nil, at: 0, frames) }
            record.withUnsafeBytes { page.dies(by: signal, in: $0, at: 0, frames) }
        }

        private var frames: EmptyCollection<UInt64>.Iterator { EmptyCollection().makeIterator() }
    }

    private static func input(
        _ sequence: UInt64, _ kind: FlightInput.Kind = .event, session: String = "pit-board",
        isLast: Bool? = nil
    ) -> FlightInput {
        FlightInput(
            kind, session: session, node: 7, feature: 8, method: .max, front: 1 << 63,
            sequence: sequence,
            hash: .max - 1, nanoseconds: 1_000 + sequence, isLast: isLast)
    }

    @Test func `a page names the input that ran, and those before it in order`() {
        let memory = Memory()
        for sequence in 1...3 { memory.begin(Self.input(UInt64(sequence))) }
        #expect(memory.recording.running == Self.input(3))
        #expect(memory.recording.former == [1, 2].map { Self.input($0) })
    }

    @Test func `every kind of input and the longest name come back as they were noted`() {
        let memory = Memory()
        let name = String(repeating: "ä", count: Limits.nameBytesMax / 2)
        for kind in FlightInput.Kind.allCases {
            for isLast in [nil, true, nil] {
                let input = Self.input(1, kind, session: name, isLast: isLast)
                memory.begin(input)
                #expect(memory.recording.running == input)
            }
        }
    }

    @Test func `an input has changed a state if that was noted while it ran`() throws {
        let memory = Memory()
        memory.begin(Self.input(1))
        memory.page.changed()
        var kept = memory.page.newest
        memory.begin(Self.input(2))
        #expect(memory.recording.running?.hasChanged == nil)
        #expect(memory.recording.former.map(\.hasChanged) == [true])
        memory.page.running = 0
        memory.page.changed()
        #expect(memory.recording.former.map(\.hasChanged) == [true, nil])
        memory.dies(in: kept)
        #expect(memory.recording.running?.hasChanged == true)
        kept = memory.page.newest
        FlightPage.changed(in: &kept)
        memory.dies(in: kept)
        #expect(memory.recording.running?.hasChanged == true)
        #expect(memory.recording.running?.sequence == 2)
    }

    @Test(arguments: [1, 29, 30, 31, 32, 127, Limits.nameBytesMax])
    func `a name of any length comes back, also in place of a longer one`(count: Int) {
        let memory = Memory()
        let long = String(repeating: "b", count: Limits.nameBytesMax)
        for _ in 0..<FlightPage.recordsMax { memory.begin(Self.input(1, session: long)) }
        let name = String(repeating: "a", count: count)
        memory.begin(Self.input(2, session: name))
        #expect(memory.recording.running?.session == name)
    }

    @Test(arguments: [0, 1, 255, 256, .max] as [UInt16])
    func `a page counts the events that waited when the one that ran began`(waiting: UInt16) {
        let memory = Memory()
        memory.begin(Self.input(1), waiting: 7)
        memory.begin(Self.input(2, session: String(repeating: "a", count: 31)), waiting: waiting)
        #expect(memory.recording.running?.session.count == 31)
        #expect(memory.recording.running?.epoch == nil)
        #expect(memory.recording.waiting == waiting)
        memory.page.running = 0
        #expect(memory.recording.waiting == 0)
    }

    @Test func `a page names nothing while nothing runs`() {
        let memory = Memory()
        #expect(memory.recording == FlightRecording(Array(repeating: 0, count: FlightPage.bytes)))
        memory.begin(Self.input(1))
        memory.page.running = 0
        #expect(memory.recording.running == nil)
        #expect(memory.recording.former == [Self.input(1)])
    }

    @Test func `a page remembers the newest inputs`() {
        let memory = Memory()
        let count = UInt64(3 * FlightPage.recordsMax + 5)
        for sequence in 1...count { memory.begin(Self.input(sequence)) }
        let first = count - UInt64(FlightPage.recordsMax) + 1
        #expect(memory.recording.running == Self.input(count))
        #expect(memory.recording.former == (first..<count).map { Self.input($0) })
    }

    @Test func `a handler that dies after a wait is named by the record that it has kept`() {
        let memory = Memory()
        memory.begin(Self.input(1))
        let kept = memory.page.newest
        let count = UInt64(2 + FlightPage.recordsMax)
        for sequence in 2...count { memory.begin(Self.input(sequence)) }
        memory.dies(in: kept)
        #expect(memory.recording.running == Self.input(1))
        // The loop goes on while the other thread dies.
        for sequence in 0...count { memory.begin(Self.input(sequence)) }
        memory.page.running = 0
        #expect(memory.recording.running == Self.input(1))
        #expect(memory.recording.former.count == FlightPage.recordsMax)
    }

    @Test(arguments: [1, Limits.nameBytesMax], [1, 40, 2000])
    func `a task that dies is named by its note, of the session of what has started it`(
        nameBytes: Int, textBytes: Int
    ) {
        let memory = Memory()
        let session = String(repeating: "a", count: nameBytes)
        memory.begin(Self.input(1, session: session, isLast: true))
        memory.page.changed()
        let text = String(repeating: "b", count: textBytes)
        let (note, named) = FlightPage.note(
            ofTask: text, startedBy: memory.page.newest, nanoseconds: 3)
        var input = named
        #expect(note.count <= 1024 + 192 && input.session == session)
        memory.begin(Self.input(2))
        memory.page.running = 0
        memory.dies(in: note)
        input.arguments = Array(note[192...])
        #expect(memory.recording.running == input)
        #expect(memory.recording.former.map(\.sequence) == [1, 2])
        let other = FlightPage.note(ofTask: text + "c", startedBy: note, nanoseconds: 3).input
        #expect(other.session == session && (other.hash != input.hash) == (textBytes < 1000))
    }

    @Test func `a signal during an input names it, and one during none names none`() {
        let memory = Memory()
        memory.begin(Self.input(1))
        memory.dies(in: nil)
        #expect(memory.recording.running == Self.input(1))
        #expect(memory.recording.former == [])
        // Another thread's, which no input has.
        memory.dies(in: [])
        #expect(memory.recording.running == nil)
        #expect(memory.recording.former == [Self.input(1)])
        memory.page.running = 0
        memory.dies(in: nil)
        #expect(memory.recording.running == nil)
    }

    @Test func `return addresses are those of their files, innermost first, and limited`() {
        let memory = Memory()
        let long = "/" + String(repeating: "a", count: 400) + "/till-worker"
        memory.page.loaded([
            FlightModule(0x5000..<0x6000, path: "/bin/till"),
            FlightModule(0x9000..<0xA000, path: long),
        ])
        memory.page.dies(by: 4, in: nil, at: 0x10, [0x5000, 0x9FFF, 0x6000].makeIterator())
        memory.page.used(7, peak: .max)
        let recording = memory.recording
        #expect(recording.bytes == 7 && recording.peakBytes == .max)
        #expect(recording.signal == 4)
        #expect(recording.address == 0x10)
        #expect(recording.frames.map(\.offset) == [0, 0xFFF, 0x6000])
        #expect(recording.frames[0].module == "/bin/till")
        #expect(recording.frames[1].module?.hasSuffix("a/till-worker") == true)
        #expect(recording.frames[2].module == nil)
        memory.page.dies(by: 11, in: nil, at: 0, repeatElement(1, count: 1000).makeIterator())
        #expect(memory.recording.frames.count == FlightPage.framesMax)
    }

    @Test func `a signal that the handler has not seen names nothing if it had no stack`() {
        let memory = Memory()
        memory.begin(Self.input(1))
        let page = Array(memory.bytes)
        // SIGKILL comes to the whole process, SIGSEGV to the thread that causes it.
        #expect(FlightRecording(page, endedBy: 9).running == Self.input(1))
        #expect(FlightRecording(page, endedBy: 11).running == nil)
        #expect(FlightRecording(page, endedBy: 11).former == [Self.input(1)])
        memory.dies(in: nil, by: 11)
        #expect(memory.recording.running == Self.input(1))
        #expect(FlightRecording(Array(memory.bytes), endedBy: 11).running == Self.input(1))
    }

    @Test func `a page of another length or beginning says nothing`() {
        let memory = Memory()
        memory.begin(Self.input(1))
        var bytes = Array(memory.bytes)
        #expect(FlightRecording(bytes.dropLast()) == FlightRecording([]))
        bytes[0] ^= 1
        #expect(FlightRecording(bytes) == FlightRecording([]))
    }

    /// A page of which every part is used.
    private static func whole() -> [UInt8] {
        let memory = Memory()
        for sequence in 1...UInt64(FlightPage.recordsMax) { memory.begin(input(sequence)) }
        memory.page.loaded(
            (1...UInt64(FlightPage.modulesMax)).map { number in
                FlightModule(number << 12..<(number + 1) << 12, path: "/lib/\(number)")
            })
        let frames = repeatElement(UInt64(1) << 12, count: FlightPage.framesMax)
        memory.page.dies(by: 4, in: nil, at: 0x10, frames.makeIterator())
        return Array(memory.bytes)
    }

    /// Reads a page as napkind does, which must cost little and name nothing senseless.
    private func isBounded(_ page: [UInt8]) -> Bool {
        let recording = FlightRecording(page)
        let inputs = recording.former + [recording.running].compactMap(\.self)
        return recording.former.count <= FlightPage.recordsMax
            && recording.frames.count <= FlightPage.framesMax
            && recording.frames.allSatisfy { ($0.module?.utf8.count ?? 0) <= 3 * 236 }
            && inputs.allSatisfy { Name.isValid($0.session) }
    }

    @Test(arguments: 0..<8) func `no bytes that a worker has written trap the reader`(seed: UInt64)
    {
        let sound = Self.whole()
        var random = Randomness(seed: seed)
        for round in 0..<400 {
            var bytes = sound
            // Some bytes, or all but the beginning.
            let count = round % 4 == 0 ? bytes.count : Int.random(in: 1...200, using: &random)
            for place in 0..<count {
                let index =
                    count == bytes.count
                    ? max(8, place) : Int.random(in: 8..<bytes.count, using: &random)
                bytes[index] = UInt8.random(in: 0 ... .max, using: &random)
            }
            #expect(isBounded(bytes), "round \(round)")
        }
    }

    @Test(arguments: [0xFF, 0x01, 0x80] as [UInt8])
    func `no single byte that is flipped traps the reader`(flip: UInt8) {
        var bytes = Self.whole()
        // What each byte means repeats: the head, a record of the 65, and a module of the 32.
        let (record, module) = (192, 256)
        let places =
            Array(0..<1024 + record) + Array(13_312 - record..<13_504 + module)
            + Array(bytes.count - module..<bytes.count)
        for place in places {
            bytes[place] ^= flip
            #expect(isBounded(bytes), "byte \(place)")
            bytes[place] ^= flip
        }
    }

    @Test(arguments: [0, 1, 7, 8, 1024, 13_312, FlightPage.bytes - 1, FlightPage.bytes + 1])
    func `a page of any size is read without a trap`(size: Int) {
        let bytes = Self.whole()
        let page = Array((bytes + bytes).prefix(size))
        #expect((FlightRecording(page).running != nil) == (size > FlightPage.bytes))
        #expect(FlightRecording(Array(repeating: 0xFF, count: size)) == FlightRecording([]))
    }

    @Test(arguments: [1, 63, 64, 1 << 32, 1 << 63, .max - 1, .max] as [UInt64])
    func `a running number without a record names nothing`(number: UInt64) {
        let memory = Memory()
        memory.page.running = number
        #expect(memory.recording.running == nil)
        memory.bytes.storeBytes(of: UInt64.max, toByteOffset: 16, as: UInt64.self)
        #expect(memory.recording == FlightRecording([]))
    }

    @Test
    func `the greatest number is followed by a record that names nothing, and then by others`() {
        let memory = Memory()
        memory.bytes.storeBytes(of: UInt64.max - 1, toByteOffset: 16, as: UInt64.self)
        memory.begin(Self.input(1))
        #expect(memory.recording.running == Self.input(1))
        memory.begin(Self.input(2))
        #expect(memory.recording.running == nil)
        memory.begin(Self.input(3))
        #expect(memory.recording.running == Self.input(3))
    }

    @Test(
        arguments: [
            [0xFF], [0xC3], [0xC0, 0xAF], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0x00], [],
        ] as [[UInt8]])
    func `a record whose session has no valid name is left out`(name: [UInt8]) {
        let memory = Memory()
        memory.begin(Self.input(1))
        name.withUnsafeBytes { memory.page.begin(Self.input(2), name: $0) }
        #expect(memory.recording.running == nil)
        #expect(memory.recording.former == [Self.input(1)])
        memory.dies(in: nil)
        #expect(memory.recording.running == nil)
    }

    @Test func `records that claim what cannot be are left out`() {
        for (offset, byte): (Int, UInt8) in [(0, 9), (48, 0), (48, 99), (62, 255), (64, 0x1B)] {
            let memory = Memory()
            memory.begin(Self.input(1))
            let record = 1024 + 192
            memory.bytes[record + offset] = byte
            #expect(memory.recording.running == nil, "byte \(offset) = \(byte)")
        }
    }
}

struct FlightHashTests {
    private static func hash(_ bytes: [UInt8]) -> UInt64 {
        bytes.withUnsafeBytes { FlightHash.value(of: $0) }
    }

    @Test(arguments: [
        1, 7, 8, 9, 63, 64, 65, 511, 1024, 1025, 4096,
    ]) func `arguments that differ in one byte, or in length, have other hashes`(count: Int) {
        let bytes = [UInt8](repeating: 0, count: count)
        var seen: Set = [Self.hash(bytes), Self.hash(bytes + [0])]
        #expect(seen.count == 2)
        for index in [0, count / 3, count - 1] where index < 512 || index >= count - 512 {
            var other = bytes
            other[index] = 1
            seen.insert(Self.hash(other))
        }
        #expect(seen.count >= (count == 1 ? 3 : 4))
    }

    @Test func `a hash is the same in each process`() {
        #expect(Self.hash([]) == 11_400_714_819_323_198_485)
        #expect(Self.hash(Array("didTapAdd()".utf8)) == 17_727_773_692_964_443_920)
    }
}
