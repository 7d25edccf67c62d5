// KeptLists: people's lists as they left them, under the names that their fronts give.
//
// Layer      feature. No fronts here.

import DeskContract
import NapkinCore

@Message
struct KeptLists: Equatable {
    /// People whose lists are kept. When there is another one, the list that was changed the
    /// longest ago is forgotten. Chosen: more people than share a session.
    static let peopleMax = 100
    /// Bytes of a search; a list with a longer one is not kept. Chosen: more than a line.
    static let wordsBytesMax = 1024

    @Message
    struct Entry: Equatable {
        var name: String
        var list: RunListInteractor.State
    }

    /// The newest last.
    private(set) var entries: [Entry] = []

    /// A person's list; the one that everybody begins with, if nothing is kept.
    subscript(name: String?) -> RunListInteractor.State {
        entries.first { $0.name == name }?.list ?? .init()
    }

    mutating func keep(_ list: RunListInteractor.State, of name: String) {
        guard list.filter.words.utf8.count <= Self.wordsBytesMax else { return }
        entries.removeAll { $0.name == name }
        entries.append(Entry(name: name, list: list))
        entries.removeFirst(max(0, entries.count - Self.peopleMax))
    }
}
