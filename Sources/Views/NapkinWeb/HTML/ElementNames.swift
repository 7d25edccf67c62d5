// ElementNames: stable ids for a page's elements.
//
// Ownership  keeps an element's identity for as long as the element is on the page.
// Invariant  an id is never reused, so that a late event reaches no other element.

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

    /// Begins a page.
    func begin() {
        turn += 1
        uses = [:]
    }

    /// Ends a page: identities that it does not use are dropped.
    func end() { entries = entries.filter { $0.value.turn == turn } }

    /// Returns the id for an element's identity: its site, its text, its place in a list.
    func name(of owner: AnyObject) -> String {
        let key = ObjectIdentifier(owner)
        if entries[key] == nil {
            count += 1
            entries[key] = Entry(owner: owner, name: "e\(count)", turn: turn)
        }
        entries[key]?.turn = turn
        return unique(entries[key]?.name ?? "e")
    }

    /// Returns a name that is unique on the page.
    func unique(_ name: String) -> String {
        let use = uses[name, default: 0] + 1
        uses[name] = use
        return use == 1 ? name : "\(name)_\(use)"
    }
}
