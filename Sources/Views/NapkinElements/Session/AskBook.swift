// AskBook: the open questions, the oldest first.
//
// Ownership  keeps the dialogs, with their texts, until a question has ended.

package import NapkinCore

/// The questions that a person can answer on this screen.
package final class AskBook {
    private struct Entry {
        let question: Question
        let dialog: Dialog
        var isPutAside = false
        /// The question came over a connection that was lost; it counts again when it is asked
        /// again.
        var isStale = false
    }

    private var entries: [Entry] = []

    package init() {}

    /// The dialog of the question to be shown.
    package var shown: Dialog? { entries.first { !$0.isPutAside && !$0.isStale }?.dialog }

    /// How many questions a person has put aside.
    package var asideCount: Int { entries.count { $0.isPutAside && !$0.isStale } }

    /// Adds a question, or reuses the dialog of a question that is asked again.
    ///
    /// - Parameters:
    ///   - schema: the contract of the node's feature, if it is known.
    ///   - feature: the feature's name, for a question without a contract.
    package func ask(
        _ question: Question, _ schema: FeatureSchema?, feature: String,
        answer: @escaping (Payload) -> Void, later: @escaping () -> Void
    ) {
        if let index = entries.firstIndex(where: {
            $0.question.id == question.id && $0.question.payload == question.payload
        }) {
            entries[index].isStale = false
            return
        }
        let method = schema?.presents.first { $0.id == question.method }
        let dialog = Dialog(
            id: "ask \(question.id)",
            title: method.map { MethodWords.title(of: $0.key) } ?? feature,
            view: AskView(question, method, schema?.types ?? [], answer: answer, later: later))
        entries.append(Entry(question: question, dialog: dialog))
    }

    package func end(_ id: UInt64) { entries.removeAll { $0.question.id == id } }

    package func putAside(_ id: UInt64) {
        for index in entries.indices where entries[index].question.id == id {
            entries[index].isPutAside = true
        }
    }

    package func takeUpAll() {
        for index in entries.indices { entries[index].isPutAside = false }
    }

    /// Marks the questions of the lost connection as stale. Those of the connection before it,
    /// which have not been asked again, are dropped.
    package func connectionEnded() {
        entries.removeAll(where: \.isStale)
        for index in entries.indices { entries[index].isStale = true }
    }
}
