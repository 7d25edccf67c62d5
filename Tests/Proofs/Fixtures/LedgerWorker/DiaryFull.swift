// DiaryFull: a diary's state, as the first program has it.

import NapkinCore

@Message private struct DiaryPage: DiaryState {
    var cents: Int64 = 0
    var note: String?

    init() {}
    var text: String { "\(cents) cents, \(note ?? "no note")" }
    mutating func add(_ amount: Int64) { (cents, note) = (cents + amount, "\(amount)") }
}

enum DiaryFull {
    static let app: any App.Type = DiaryApp<DiaryPage>.self
}
