// CBORReader refusals: the errors of reading, out of line so that the fast paths stay small.
//
//
// They are mutating only so that they take the reader's address: a call with a copy makes the
// optimizer copy the reader at each access, which doubled the decoding time (measured).

extension CBORReader {
    @inline(never) @usableFromInline
    mutating func truncated() -> CBORError { failure(.truncated, "the input ends inside an item") }

    @inline(never) @usableFromInline
    mutating func mismatch(_ wanted: StaticString) -> CBORError {
        if position < end, byte(at: position) >> 5 == 6 {
            return failure(.unsupported, "wanted \(wanted), found a tag")
        }
        return failure(.typeMismatch, "wanted \(wanted), found \(peekType()?.name ?? "nothing")")
    }

    @inline(never) @usableFromInline
    mutating func noBool() -> CBORError { position < end ? mismatch("a boolean") : truncated() }

    @inline(never) @usableFromInline
    mutating func refusedHead(_ info: UInt8) -> CBORError {
        info == 31
            ? failure(.indefiniteLength, "an item of indefinite length or a break")
            : failure(.reserved, "additional information \(info) is reserved")
    }

    @inline(never) @usableFromInline
    mutating func tooLong(_ count: Int, _ what: StaticString) -> CBORError {
        failure(.lengthExceeded, "\(count) \(what) are more than the limit")
    }

    @inline(never) @usableFromInline
    mutating func tooDeep() -> CBORError {
        failure(.depthExceeded, "more than \(limits.depthMax) levels of nesting")
    }

    @inline(never) @usableFromInline
    mutating func outOfRange(_ type: Any.Type) -> CBORError {
        failure(.outOfRange, "a number that does not fit \(type)")
    }

    @inline(never) @usableFromInline
    mutating func notUTF8() -> CBORError {
        failure(.invalidUTF8, "a text string that is not UTF-8")
    }

    @inline(never) @usableFromInline
    mutating func duplicate(_ key: StaticString) -> CBORError {
        failure(.duplicateKey, "key \"\(key)\" twice in one map")
    }

    @inline(never) @usableFromInline
    mutating func duplicateEntry() -> CBORError {
        failure(.duplicateKey, "the key before this value twice in one map")
    }

    /// Returns the error that generated code throws for a field that was not in the map.
    @inline(never)
    public mutating func missingField(
        _ name: StaticString, of type: StaticString
    ) -> CBORError {
        failure(.missingField, "\(type) has no field \"\(name)\" before this byte")
    }

    /// Returns the error that generated code throws for a map that names no case, or for an unknown
    /// raw value.
    @inline(never)
    public mutating func unknownCase(of type: StaticString) -> CBORError {
        failure(.unknownCase, "no case of \(type) before this byte")
    }

    @inline(never) @usableFromInline
    mutating func twoCases(_ key: StaticString) -> CBORError {
        failure(.unknownCase, "case \"\(key)\" follows another case in one map")
    }

    @inline(never) @usableFromInline
    mutating func unknownRawValue(of type: Any.Type) -> CBORError {
        failure(.unknownCase, "the raw value before this byte is no case of \(type)")
    }
}
