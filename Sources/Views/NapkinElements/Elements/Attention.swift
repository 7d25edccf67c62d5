// Attention: a view calls for somebody who looks elsewhere.

extension View {
    /// Returns the view with calls for a person's attention, one for each item while it is there:
    /// a question that nobody has answered, a request to look at something.
    ///
    /// A terminal rings its bell, and a page in a browser has their number in its title and shows a
    /// notification if the person has allowed that. A front hears each item once, also if the
    /// worker dies meanwhile. Inside a `banner`, it is heard whatever covers the view.
    ///
    /// - Parameters:
    ///   - items: what is open; an item that stays is heard once.
    ///   - text: what is wanted, in a line.
    public func attention<Items: Sequence>(
        to items: Items, text: @escaping (Items.Element) -> String
    ) -> some View where Items.Element: Identifiable {
        evaluating { context in
            let calls = items.map { PageCall(id: AnyHashable($0.id), text: text($0)) }
            context.turn.calls = context.turn.calls.with(calls)
        }
    }
}
