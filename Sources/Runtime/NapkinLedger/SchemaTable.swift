// SchemaTable: a journal's descriptions of states, by number.
//
// Invariant  a number is assigned once, from 1, forever; a description has one number.

import NapkinCoding
import NapkinCore

/// Descriptions of states, stored or about to be.
struct SchemaTable {
    /// The descriptions, numbered from 1; `nil` for one that cannot be read.
    private(set) var all: [StateSchema?]
    /// The new descriptions, to be stored with the collecting group.
    private var new: [StoredSchema] = []
    private var numbers: [ObjectIdentifier: UInt64] = [:]

    init(_ all: [StateSchema?] = []) { self.all = all }

    /// The description with this number; `nil` if it is missing or unreadable.
    subscript(number: UInt64?) -> StateSchema? {
        guard let number, number > 0, number <= all.count else { return nil }
        return all[Int(number) - 1]
    }

    /// Returns whether this is the number of a type's current description.
    mutating func isNumber(_ number: UInt64?, of type: any DurableState.Type) -> Bool {
        if let known = numbers[ObjectIdentifier(type)] { return known == number }
        guard let number, self[number] == StateSchema(of: type) else { return false }
        numbers[ObjectIdentifier(type)] = number
        return true
    }

    /// Returns the number of a type's description, a new one if it has none.
    mutating func number(of type: any DurableState.Type) throws(CBORError) -> UInt64 {
        if let number = numbers[ObjectIdentifier(type)] { return number }
        let number = try number(of: StateSchema(of: type))
        numbers[ObjectIdentifier(type)] = number
        return number
    }

    /// Returns a description's number, a new one if it has none.
    mutating func number(of schema: StateSchema) throws(CBORError) -> UInt64 {
        if let known = all.firstIndex(of: schema) { return UInt64(known) + 1 }
        let bytes = try Payload { (writer) throws(CBORError) in try writer.write(schema) }
        all.append(schema)
        new.append(StoredSchema(number: UInt64(all.count), bytes: bytes.bytes))
        return UInt64(all.count)
    }

    /// Takes the new descriptions out of the table.
    mutating func takeNew() -> [StoredSchema] {
        defer { if !new.isEmpty { new = [] } }
        return new
    }
}

extension SessionImage {
    /// Returns this image with the descriptions that its states need, and numbers its states by
    /// their places among those.
    func described(by all: [StateSchema?]) -> (SessionImage, [StateSchema]) {
        var image = self
        var schemas: [StateSchema] = []
        for index in nodes.indices {
            let number = nodes[index].schema ?? 0
            guard number > 0, number <= all.count, let schema = all[Int(number) - 1] else {
                image.nodes[index].schema = nil
                continue
            }
            let known = schemas.firstIndex(of: schema)
            if known == nil { schemas.append(schema) }
            image.nodes[index].schema = UInt64(known ?? schemas.count - 1) + 1
        }
        return (image, schemas)
    }
}
