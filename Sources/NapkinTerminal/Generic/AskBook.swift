// AskBook: the open questions, the oldest first.
//
// Layer      terminal, generic front.
// Isolation  @MainActor.
// Ownership  keeps the dialogs, with their texts, until a question has ended.

internal import NapkinCore

/// Questions that a person can answer here.
final class AskBook {
    /// A question with its dialog.
    struct Entry {
        let question: Question
        let title: String
        let view: AskView
        var isPutAside = false
        /// The question came before the connection was lost; it counts again when it is asked
        /// again.
        var isStale = false
    }

    private(set) var entries: [Entry] = []

    /// The question to be shown.
    var shown: Entry? { entries.first { !$0.isPutAside && !$0.isStale } }

    /// How many questions a person has put aside.
    var asideCount: Int { entries.count { $0.isPutAside && !$0.isStale } }

    /// Adds a question, or reuses the dialog of a question that is asked again.
    func ask(_ question: Question, _ title: String, _ make: () -> AskView) {
        if let index = entries.firstIndex(where: {
            $0.question.id == question.id && $0.question.payload == question.payload
        }) {
            entries[index].isStale = false
        } else {
            entries.append(Entry(question: question, title: title, view: make()))
        }
    }

    func end(_ id: UInt64) { entries.removeAll { $0.question.id == id } }

    func putAside(_ id: UInt64) {
        for index in entries.indices where entries[index].question.id == id {
            entries[index].isPutAside = true
        }
    }

    func takeUpAll() {
        for index in entries.indices { entries[index].isPutAside = false }
    }

    /// The connection is lost, and its questions with it. Questions of the connection before, which
    /// have not been asked again, are dropped.
    func connectionEnded() {
        entries.removeAll(where: \.isStale)
        for index in entries.indices { entries[index].isStale = true }
    }
}
