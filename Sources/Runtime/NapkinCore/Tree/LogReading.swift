// LogReading: a front's request for log items that its view did not get.
//
// Spec       Protocol/SPEC.md, section 6 (Messages): event

extension EventPort {
    /// Reads the newest items of a gap, as the payload that `LogItems` describes.
    func items(in gap: LogGap, last count: Int) async throws(RemoteFault) -> Payload {
        try await call(.readLog) { (writer) throws(CBORError) in
            writer.writeArrayHeader(3)
            try writer.write(gap.log.rawValue)
            try writer.write(gap.items.upperBound)
            try writer.write(count)
        }
    }

    /// Reads the newest items of a gap, at most `count` of them and ``LogLimits/tail``.
    ///
    /// Returns them as messages, in order, and the gap that remains before them, or `nil` for the
    /// gap if none remains. Returns no items if the worker no longer keeps any of them. Throws the
    /// faults that any event may throw; a read-only front may read.
    package func items<Message: CrossingMessage>(
        in gap: LogGap, last count: Int, as type: Message.Type
    ) async throws(RemoteFault) -> (items: [Message], before: LogGap?) {
        let answer: Payload = try await items(in: gap, last: count)
        do throws(CBORError) {
            return try answer.bytes.withUnsafeBufferPointer { (bytes) throws(CBORError) in
                let part = try LogItems(answer: UnsafeRawBufferPointer(bytes)).dropping(
                    below: gap.items.lowerBound)
                var messages: [Message] = []
                for item in part.encoded {
                    messages.append(try Message(method: gap.log, payload: item))
                }
                let end = min(max(part.first, gap.items.lowerBound), gap.items.upperBound)
                let rest = gap.items.lowerBound..<end
                let before = LogGap(log: gap.log, items: rest, oldest: part.oldest)
                return (messages, rest.isEmpty ? nil : before)
            }
        } catch {
            throw RemoteFault(.failed, "the items of a log cannot be read: \(error)")
        }
    }
}

extension FeatureNode {
    /// Answers a front's request with `[first, oldest, item, …]`.
    @inline(never)
    func receiveReading(_ payload: UnsafeRawBufferPointer, _ call: IncomingCall) {
        do throws(CBORError) {
            var reader = CBORReader(payload)
            guard try reader.readArrayHeader() == 3 else {
                throw CBORError(.typeMismatch, "a log is read with three arguments")
            }
            let method = MethodID(rawValue: try reader.read(UInt32.self))
            let number = try reader.read(UInt64.self)
            let count = try reader.read(Int.self)
            try reader.expectEnd()
            call.start { [self] call in
                call.succeed { (writer) throws(CBORError) in
                    let most = min(count, LogLimits.tail.items)
                    try logs[method].write(before: number, atMost: most, into: &writer)
                }
            }
        } catch {
            call.fail(RemoteFault(.unimplemented, "a log cannot be read this way: \(error)"))
        }
    }
}

extension LogWindow? {
    fileprivate func write(
        before number: UInt64, atMost count: Int, into writer: inout CBORWriter
    ) throws(CBORError) {
        let oldest = self?.first ?? 0
        let end = Swift.min(number, self?.next ?? 0)
        guard let self, end > oldest else {
            writer.writeArrayHeader(2)
            try writer.write(oldest)
            return try writer.write(oldest)
        }
        let start = self.start(before: end, items: count)
        writer.writeArrayHeader(2 + Int(end - start))
        try writer.write(start)
        try writer.write(oldest)
        self.withBytes(from: start, count: Int(end - start)) { writer.append($0) }
    }
}
