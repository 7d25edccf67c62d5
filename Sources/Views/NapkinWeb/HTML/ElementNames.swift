// ElementNames: the ids of a page's elements, which stay while the elements do.
//
// Ownership  keeps what identifies an element for as long as the element is on the page.
// Invariant  an id is never used for another element, so that a late event meets nobody else.

@MainActor
final class ElementNames {
    private struct Entry {
        let owner: AnyObject
        let name: String
        var turn: Int
    }

    private var entries: [ObjectIdentifier: Entry] = [:]
    private var count = 0
    private var turn = 0
    private var uses: [String: Int] = [:]

    /// A page is about to be made.
    func begin() {
        turn += 1
        uses = [:]
    }

    /// The page has been made: what it does not have is forgotten.
    func end() { entries = entries.filter { $0.value.turn == turn } }

    /// Returns the id of what is kept for an element: its site, its text, its place in a list.
    func name(of owner: AnyObject) -> String {
        let key = ObjectIdentifier(owner)
        if entries[key] == nil {
            count += 1
            entries[key] = Entry(owner: owner, name: "e\(count)", turn: turn)
        }
        entries[key]?.turn = turn
        return unique(entries[key]?.name ?? "e")
    }

    /// Returns a name that nothing else on the page has.
    func unique(_ name: String) -> String {
        let use = uses[name, default: 0] + 1
        uses[name] = use
        return use == 1 ? name : "\(name)_\(use)"
    }
}
