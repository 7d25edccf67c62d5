// FlightRecording: the contents of a worker's page after the worker's death.
//
// Invariant  nothing in a copy of a page can trap its reader, or cost it more than the page's size.
// Spec       Protocol/FLIGHT.md

import NapkinCoding

/// A return address of a thread.
@Message
public struct FlightFrame: Hashable {
    /// The address, counted from the first byte of the module.
    public var offset: UInt64
    /// The path of the file that contains the code; `nil` if no known file does: then the offset is
    /// the address itself.
    public var module: String?
}

/// The contents of a worker's page when the worker died.
public struct FlightRecording: Hashable, Sendable {
    /// The input that ran; `nil` if none did, or none that the page names.
    public private(set) var running: FlightInput?
    /// The number of its session's events whose handlers had not ended when it began.
    public private(set) var waiting: UInt16 = 0
    /// The inputs before that, oldest first, at most `FlightPage.recordsMax`.
    public private(set) var former: [FlightInput] = []
    /// The signal that the process handled; 0 if it died without one.
    public private(set) var signal: Int32 = 0
    /// The address that could not be used.
    public private(set) var address: UInt64 = 0
    /// The process's resident memory when the signal came, and at most, in bytes; 0 if it is
    /// unknown.
    public private(set) var bytes: UInt64 = 0
    public private(set) var peakBytes: UInt64 = 0
    /// The return addresses, innermost first.
    public private(set) var frames: [FlightFrame] = []

    /// The signal of a thread that had no stack left for the handler: SIGSEGV.
    private static let unhandled: Int32 = 11

    /// Reads a copy of a page. A page that is too short, or that no worker has written, yields
    /// nothing, and a record that makes no sense is skipped.
    ///
    /// - Parameter ended: the signal that has ended the process; 0 for none.
    public init(_ page: [UInt8], endedBy ended: Int32 = 0) {
        guard page.count >= FlightPage.bytes else { return }
        page.withUnsafeBytes { page in
            let read = Reader(page: page)
            guard read.word(0) == FlightLayout.magic else { return }
            signal = Int32(bitPattern: read.half(FlightLayout.signal))
            address = read.word(FlightLayout.address)
            bytes = read.word(FlightLayout.memory)
            peakBytes = read.word(FlightLayout.peakMemory)
            let modules = (0..<FlightPage.modulesMax).compactMap(read.module)
            let count = min(Int(read.half(FlightLayout.frameCount)), FlightPage.framesMax)
            frames = (0..<count).map { index in
                let address = read.word(FlightLayout.frames + index * 8)
                let module = modules.first { $0.addresses.contains(address) }
                return FlightFrame(
                    offset: address - (module?.addresses.lowerBound ?? 0), module: module?.path)
            }
            let inputs = (0..<FlightPage.recordsMax).compactMap(read.record)
                .sorted { $0.number < $1.number }
            let number = read.word(FlightLayout.running)
            let ran =
                signal != 0
                ? read.record(at: FlightPage.recordsMax)
                // The loop's thread has a stack for the handler.
                : ended == Self.unhandled ? nil : inputs.last { $0.number == number }
            running = ran?.input
            waiting = ran?.waiting ?? 0
            former = inputs.filter { $0.number != ran?.number }.map(\.input)
            // Hostile rows may claim the same bytes: together they get no more than there are.
            var rest = FlightArguments.room
            for index in former.indices.reversed() {
                rest -= former[index].arguments?.count ?? 0
                if rest < 0 { former[index].arguments = nil }
            }
        }
    }

    /// Reads a copy of the page of a child's process. Only its worker knows which event ran there:
    /// the child notes the number that its worker has given it.
    public init(ofChild page: [UInt8], running input: FlightInput?) {
        self.init(page)
        (running, former) = (input, [])
    }

    private struct Reader {
        let page: UnsafeRawBufferPointer

        func word(_ offset: Int) -> UInt64 {
            page.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
        }
        func half(_ offset: Int) -> UInt32 {
            page.loadUnaligned(fromByteOffset: offset, as: UInt32.self)
        }

        func module(at index: Int) -> FlightModule? {
            let start = FlightLayout.modules + index * FlightLayout.moduleBytes
            let (first, end) = (word(start), word(start + 8))
            let length = Int(half(start + 16))
            guard index < half(FlightLayout.moduleCount), first < end,
                length <= FlightLayout.moduleBytes - FlightLayout.path
            else { return nil }
            let path = page[start + FlightLayout.path..<start + FlightLayout.path + length]
            return FlightModule(first..<end, path: String(decoding: path, as: UTF8.self))
        }

        func record(at index: Int) -> (number: UInt64, input: FlightInput, waiting: UInt16)? {
            let start = FlightLayout.records + index * FlightLayout.recordBytes
            let number = word(start)
            let length = Int(page[start + FlightLayout.nameLength])
            guard number > 0,
                start == FlightLayout.died
                    || number <= word(FlightLayout.written)
                        && number % UInt64(FlightPage.recordsMax) == UInt64(index),
                let kind = FlightInput.Kind.allCases.first(where: {
                    $0.place == page[start + FlightLayout.kind]
                }),
                length <= Limits.nameBytesMax
            else { return nil }
            let name = page[start + FlightLayout.name..<start + FlightLayout.name + length]
            guard let session = String(validating: name, as: UTF8.self), Name.isValid(session)
            else { return nil }
            let epoch = half(start + FlightLayout.epoch)
            var input = FlightInput(
                kind, session: session, node: half(start + 40), feature: half(start + 52),
                method: half(start + 44), front: word(start + 8), sequence: word(start + 16),
                hash: word(start + FlightLayout.hash), nanoseconds: word(start + 32),
                epoch: epoch == 0 ? nil : epoch,
                isLast: page[start + FlightLayout.last] == 0 ? nil : true)
            input.hasChanged = page[start + FlightLayout.changed] == 0 ? nil : true
            if kind == .task {
                let count = min(Int(half(FlightLayout.task)), FlightPage.taskBytesMax)
                let text = page[(FlightLayout.task + 4)...].prefix(count)
                input.arguments = text.isEmpty ? nil : Array(text)
            } else if kind == .event, page.count >= FlightMemory.bytes {
                input.arguments = FlightArguments.read(
                    number, in: UnsafeRawBufferPointer(rebasing: page[FlightMemory.arguments...]))
                input.hash =
                    input.arguments?.withUnsafeBytes { FlightHash.value(of: $0) } ?? input.hash
            }
            let waiting = UInt16(truncatingIfNeeded: half(start + FlightLayout.waiting))
            return (number, input, waiting)
        }
    }
}
