// Script+Inputs: what the script's sessions do by themselves, and what their states are.

import NapkinCoding
import NapkinCore
import NapkinLedger

extension Script {
    /// The group whose records are the first with the second description.
    private static let redescribed: GroupNumber = 15

    /// The descriptions that are new with a group.
    static func schemas(_ number: GroupNumber) throws -> [StoredSchema] {
        guard number == 1 || number == redescribed else { return [] }
        let known = FieldSchema(key: "texts", type: "[String]")
        let new = FieldSchema(key: "note", type: "String?")
        let schema = StateSchema(
            state: "State",
            types: [
                TypeSchema(
                    name: "State", kind: .structure, fields: number == 1 ? [known] : [known, new])
            ])
        let bytes = try Payload { (writer) throws(CBORError) in try writer.write(schema) }.bytes
        return [StoredSchema(number: number == 1 ? 1 : 2, bytes: bytes)]
    }

    /// Adds what the session does by itself in that group: each kind of it in some.
    static func addInputs(
        to record: inout Record, of image: SessionImage, _ number: GroupNumber
    ) {
        let (id, due) = (image.newestInput + 1, 1_700_000_000_000 + Int64(number) * 1000)
        if number >= redescribed, image.nodes.first?.schema == 1 { record.states?[0].schema = 2 }
        switch number % 8 {
        case 0, 5:
            let name = number % 8 == 0 ? "repeats" : "once \(number)"
            record.timers = [
                TimerImage(
                    id: id, node: 1, name: name, due: due,
                    interval: number % 8 == 0 ? 60_000 : nil,
                    missed: Int32(number % 3) - 1, payload: [0x61, 0x74])
            ]
        case 1, 6:
            record.jobs = [
                JobImage(
                    id: id, node: 1, key: (0..<16).map { UInt8(number) ^ $0 },
                    payload: [0x61, 0x6A], due: due, attempts: 0)
            ]
        case 2:
            record.passed = image.timers.prefix(2).map { timer in
                TimerChange(id: timer.id, due: timer.interval.map { timer.due + $0 })
            }
        case 3:
            record.jobChanges = image.jobs.prefix(3).enumerated().map { index, job in
                switch index {
                case 0: JobChange(id: job.id, failure: "it is closed", isTold: true)
                case 1: JobChange(id: job.id, due: due, attempts: job.attempts + 1)
                default: JobChange(id: job.id, isOver: true)
                }
            }
        case 4:
            record.inputs = image.timers.suffix(1).map { timer in
                BegunInput(
                    id: timer.id, node: 1, method: "timerFired(_:_:)", name: timer.name)
            }
        default: record.over = image.inputs.prefix(1).map(\.id)
        }
    }
}
