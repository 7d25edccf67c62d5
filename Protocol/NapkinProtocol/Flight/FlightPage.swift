// FlightPage: the memory in which a worker notes what it runs, for napkind to read after its death.
//
// Ownership  the worker's loop thread writes, and so does the thread that dies; readers get a copy.
// Invariant  nothing in a page can trap its reader, or cost it more than the page's size.
// Spec       Protocol/FLIGHT.md

import NapkinCoding

/// The offsets of a page's parts, in bytes. All numbers are little-endian.
@usableFromInline
enum FlightLayout {
    static let magic: UInt64 = 0x3174_6867_696C_464E  // "NFlight1"
    /// The number of the running record, 1 for the first one; 0 while nothing runs.
    @usableFromInline static let running = 8
    /// The number of records written so far.
    @usableFromInline static let written = 16
    static let signal = 24
    static let frameCount = 28
    static let address = 32
    static let moduleCount = 40
    static let memory = 48
    static let peakMemory = 56
    static let frames = 64
    @usableFromInline static let records = 1024
    @usableFromInline static let recordBytes = 192
    @usableFromInline static let time = 32
    @usableFromInline static let kind = 48
    static let last = 49
    static let changed = 50
    @usableFromInline static let hash = 24
    @usableFromInline static let epoch = 56
    @usableFromInline static let waiting = 60
    @usableFromInline static let nameLength = 62
    @usableFromInline static let name = 64
    /// A copy of the record that ran when the signal came.
    static let died = records + FlightPage.recordsMax * recordBytes
    static let modules = died + recordBytes
    static let moduleBytes = 256
    /// After the first address, the last address and the length of the path.
    static let path = 20
    /// The description of the task that ran when the signal came, after its length.
    static let task = modules + FlightPage.modulesMax * moduleBytes
    static let taskBytes = 1024
}

// SAFETY: only the loop thread writes, and the handler of the signal that ends the process, which
// writes to other places.
/// The worker's side of a page. Writing allocates nothing, so that a signal's handler may write.
public struct FlightPage: @unchecked Sendable {
    /// The number of inputs that a page remembers. Chosen: more than a person causes in a minute.
    public static let recordsMax = 64
    /// The number of return addresses that a page remembers. Chosen: they fit before the records.
    public static let framesMax = 120
    /// The number of loaded files that a page remembers. Chosen: a program has some ten libraries.
    public static let modulesMax = 32
    /// The size of a page.
    public static let bytes = FlightLayout.task + FlightLayout.taskBytes
    /// The bytes that a page has for a task's description. Chosen: a deep feature's path fits.
    static let taskBytesMax = FlightLayout.taskBytes - 4

    @usableFromInline let memory: UnsafeMutableRawPointer
    @usableFromInline let arguments: FlightArguments?

    /// Uses `bytes` bytes of memory, which must outlive this value, as an empty page.
    public init(at memory: UnsafeMutableRawPointer, keeping arguments: FlightArguments? = nil) {
        (self.memory, self.arguments) = (memory, arguments)
        memory.initializeMemory(as: UInt8.self, repeating: 0, count: Self.bytes)
        memory.storeBytes(of: FlightLayout.magic.littleEndian, as: UInt64.self)
    }

    /// The number of the running record; 0 while nothing runs.
    @inlinable public var running: UInt64 {
        get { memory.load(fromByteOffset: FlightLayout.running, as: UInt64.self) }
        nonmutating set {
            memory.storeBytes(of: newValue, toByteOffset: FlightLayout.running, as: UInt64.self)
        }
    }

    /// Notes that an input is about to run.
    ///
    /// - Parameters:
    ///   - name: the bytes that `write(name:to:)` has written.
    ///   - waiting: the number of the session's events whose handlers have not ended.
    @inlinable
    public func begin(
        _ kind: FlightInput.Kind, name: UnsafeRawPointer, node: UInt32, feature: UInt32,
        method: UInt32, front: UInt64, sequence: UInt64, hash: UInt64, nanoseconds: UInt64,
        epoch: UInt32, waiting: UInt16
    ) {
        let number = memory.load(fromByteOffset: FlightLayout.written, as: UInt64.self) &+ 1
        let record = place(of: number)
        // A death while the record is half written must not name it.
        running = 0
        record.storeBytes(of: number, as: UInt64.self)
        record.storeBytes(of: front, toByteOffset: 8, as: UInt64.self)
        record.storeBytes(of: sequence, toByteOffset: 16, as: UInt64.self)
        record.storeBytes(of: hash, toByteOffset: FlightLayout.hash, as: UInt64.self)
        record.storeBytes(of: nanoseconds, toByteOffset: FlightLayout.time, as: UInt64.self)
        record.storeBytes(of: node, toByteOffset: 40, as: UInt32.self)
        record.storeBytes(of: method, toByteOffset: 44, as: UInt32.self)
        // The flags follow, which few inputs have.
        record.storeBytes(
            of: UInt32(kind.place), toByteOffset: FlightLayout.kind, as: UInt32.self)
        record.storeBytes(of: feature, toByteOffset: 52, as: UInt32.self)
        record.storeBytes(of: epoch, toByteOffset: FlightLayout.epoch, as: UInt32.self)
        record.storeBytes(of: waiting, toByteOffset: FlightLayout.waiting, as: UInt16.self)
        // Most names are short: a vector's move takes fewer instructions than a call.
        record.storeBytes(
            of: name.loadUnaligned(as: SIMD32<UInt8>.self),
            toByteOffset: FlightLayout.nameLength, as: SIMD32<UInt8>.self)
        if name.load(as: UInt8.self) > 30 {
            (record + FlightLayout.nameLength).copyMemory(from: name, byteCount: Self.nameBytes)
        }
        memory.storeBytes(of: number, toByteOffset: FlightLayout.written, as: UInt64.self)
        running = number
    }

    /// Keeps the arguments of the newest record.
    @inlinable
    public func keep(_ arguments: UnsafeRawBufferPointer) {
        self.arguments?.keep(
            arguments, of: memory.load(fromByteOffset: FlightLayout.written, as: UInt64.self))
    }

    /// The bytes of a name with its length, as in records.
    public static let nameBytes = FlightLayout.recordBytes - FlightLayout.nameLength

    /// Writes a session's name, at most `Limits.nameBytesMax` bytes, into `nameBytes` bytes.
    public static func write(
        name: UnsafeRawBufferPointer, to place: UnsafeMutableRawBufferPointer
    ) {
        let name = name.prefix(Limits.nameBytesMax)
        _ = place.initializeMemory(as: UInt8.self, repeating: 0)
        place[0] = UInt8(truncatingIfNeeded: name.count)
        let start = FlightLayout.name - FlightLayout.nameLength
        UnsafeMutableRawBufferPointer(rebasing: place[start...])
            .copyMemory(from: UnsafeRawBufferPointer(rebasing: name))
    }

    /// Notes an input of a session itself, unchanged.
    ///
    /// - Parameter name: the session's name, at most `Limits.nameBytesMax` bytes.
    public func begin(
        _ input: FlightInput, name: UnsafeRawBufferPointer, waiting: UInt16 = 0
    ) {
        withUnsafeTemporaryAllocation(byteCount: Self.nameBytes, alignment: 8) { place in
            Self.write(name: name, to: place)
            guard let name = place.baseAddress else { return }
            begin(
                input.kind, name: name, node: input.node, feature: input.feature,
                method: input.method, front: input.front, sequence: input.sequence,
                hash: input.hash, nanoseconds: input.nanoseconds, epoch: input.epoch ?? 0,
                waiting: waiting)
        }
        guard input.isLast == true else { return }
        place(of: running).storeBytes(of: 1, toByteOffset: FlightLayout.last, as: UInt8.self)
    }

    /// Notes that the running input has changed a durable state.
    public func changed() {
        guard running != 0 else { return }
        place(of: running).storeBytes(of: 1, toByteOffset: FlightLayout.changed, as: UInt8.self)
    }

    /// Notes that change in a copy of a record.
    public static func changed(in record: inout [UInt8]) { record[FlightLayout.changed] = 1 }

    /// A copy of the newest record, for an input that waits: others will overwrite the record and
    /// its arguments.
    public var newest: [UInt8] {
        let number = memory.load(fromByteOffset: FlightLayout.written, as: UInt64.self)
        if let hash = arguments?.hash(of: number) {
            place(of: number).storeBytes(of: hash, toByteOffset: FlightLayout.hash, as: UInt64.self)
        }
        return Array(
            UnsafeRawBufferPointer(start: place(of: number), count: FlightLayout.recordBytes))
    }

    /// Whether a launch runs.
    public var isLaunching: Bool {
        running != 0
            && place(of: running).load(fromByteOffset: FlightLayout.kind, as: UInt8.self)
                == FlightInput.Kind.launch.place
    }

    /// Returns a record of a bound task, followed by its description, for the session of another
    /// record, and the input that it names. No other record has its number.
    public static func note(
        ofTask text: String, startedBy record: [UInt8], nanoseconds: UInt64
    ) -> (note: [UInt8], input: FlightInput) {
        let text = Array(text.shortened(to: taskBytesMax).utf8)
        let hash = text.withUnsafeBytes { FlightHash.value(of: $0) }
        var note = [UInt8](repeating: 0, count: FlightLayout.nameLength)
        note[FlightLayout.kind] = FlightInput.Kind.task.place
        note.withUnsafeMutableBytes { bytes in
            bytes.storeBytes(of: UInt64.max, as: UInt64.self)
            bytes.storeBytes(of: hash, toByteOffset: FlightLayout.hash, as: UInt64.self)
            bytes.storeBytes(of: nanoseconds, toByteOffset: FlightLayout.time, as: UInt64.self)
        }
        note += record[FlightLayout.nameLength..<FlightLayout.recordBytes] + text
        let name = note[FlightLayout.name...].prefix(Int(note[FlightLayout.nameLength]))
        let session = String(decoding: name, as: UTF8.self)
        return (note, FlightInput(.task, session: session, hash: hash, nanoseconds: nanoseconds))
    }

    @inlinable
    func place(of number: UInt64) -> UnsafeMutableRawPointer {
        memory + FlightLayout.records
            + Int(truncatingIfNeeded: number % UInt64(Self.recordsMax)) &* FlightLayout.recordBytes
    }
}

/// A file with code that a process has loaded.
public struct FlightModule: Hashable, Sendable {
    /// The addresses of the file's first byte and of the byte after its last one.
    public var addresses: Range<UInt64>
    public var path: String

    public init(_ addresses: Range<UInt64>, path: String) {
        (self.addresses, self.path) = (addresses, path)
    }
}

extension FlightPage {
    /// Notes the files that the process has loaded, as many as there is room for. A path that is
    /// too long loses its beginning.
    public func loaded(_ modules: [FlightModule]) {
        for (index, module) in modules.prefix(Self.modulesMax).enumerated() {
            let place = memory + FlightLayout.modules + index * FlightLayout.moduleBytes
            let path = module.path.utf8.suffix(FlightLayout.moduleBytes - FlightLayout.path)
            place.storeBytes(of: module.addresses.lowerBound, as: UInt64.self)
            place.storeBytes(of: module.addresses.upperBound, toByteOffset: 8, as: UInt64.self)
            place.storeBytes(of: UInt32(path.count), toByteOffset: 16, as: UInt32.self)
            UnsafeMutableRawBufferPointer(start: place + FlightLayout.path, count: path.count)
                .copyBytes(from: path)
            memory.storeBytes(
                of: UInt32(index + 1), toByteOffset: FlightLayout.moduleCount, as: UInt32.self)
        }
    }

    /// Notes where the process is dying. Called by a signal's handler.
    ///
    /// - Parameters:
    ///   - record: the record of what ran, unless that is the running one; may be a task's note.
    ///   - address: the address that could not be used, if the signal names one.
    ///   - frames: the return addresses, innermost first.
    public func dies(
        by signal: Int32, in record: UnsafeRawBufferPointer?, at address: UInt64,
        _ frames: consuming some IteratorProtocol<UInt64>
    ) {
        // A copy, made first: the loop may run other inputs while this thread dies.
        let died = UnsafeMutableRawBufferPointer(
            start: memory + FlightLayout.died, count: FlightLayout.recordBytes)
        let running = UnsafeRawBufferPointer(
            start: place(of: running), count: running == 0 ? 0 : died.count)
        let record = record ?? running
        if record.count >= died.count {
            died.copyMemory(from: UnsafeRawBufferPointer(rebasing: record[..<died.count]))
            let rest = record[died.count...].prefix(Self.taskBytesMax)
            let text = UnsafeRawBufferPointer(rebasing: rest)
            (memory + FlightLayout.task).storeBytes(of: UInt32(text.count), as: UInt32.self)
            UnsafeMutableRawBufferPointer(start: memory + FlightLayout.task + 4, count: text.count)
                .copyMemory(from: text)
        } else {
            _ = died.initializeMemory(as: UInt8.self, repeating: 0)
        }
        memory.storeBytes(of: signal, toByteOffset: FlightLayout.signal, as: Int32.self)
        memory.storeBytes(of: address, toByteOffset: FlightLayout.address, as: UInt64.self)
        var count: UInt32 = 0
        while count < Self.framesMax, let frame = frames.next() {
            memory.storeBytes(
                of: frame, toByteOffset: FlightLayout.frames + Int(count) * 8, as: UInt64.self)
            count += 1
            // Each counts at once: the next one may not be readable.
            memory.storeBytes(of: count, toByteOffset: FlightLayout.frameCount, as: UInt32.self)
        }
    }

    /// Notes the memory of the dying process, now and at most, in bytes; 0 if it is unknown.
    public func used(_ now: UInt64, peak: UInt64) {
        memory.storeBytes(of: now, toByteOffset: FlightLayout.memory, as: UInt64.self)
        memory.storeBytes(of: peak, toByteOffset: FlightLayout.peakMemory, as: UInt64.self)
    }
}
