// DiaryLesser: a diary's state, as a later program has it, which would lose the notes.

import NapkinCore

@Message private struct DiaryPage: DiaryState {
    var cents: Int64 = 0

    init() {}
    var text: String { "\(cents) cents" }
    mutating func add(_ amount: Int64) { cents += amount }
}

enum DiaryLesser {
    static let app: any App.Type = DiaryApp<DiaryPage>.self
}
