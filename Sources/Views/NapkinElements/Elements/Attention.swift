// Attention: a view's calls for the attention of a person who is looking elsewhere.

extension View {
    /// Returns the view with calls for a person's attention, one for each item while the item
    /// exists: a question that nobody has answered, a request to look at something.
    ///
    /// A terminal rings its bell. A page in a browser has the number of calls in its title, and
    /// shows a notification if the person has allowed that. A front hears each item once, even if
    /// the worker dies meanwhile. Inside a `banner`, the call is heard whatever covers the view.
    ///
    /// - Parameters:
    ///   - items: the open items; an item that stays is heard once.
    ///   - text: one line that says what is wanted.
    public func attention<Items: Sequence>(
        to items: Items, text: @escaping (Items.Element) -> String
    ) -> some View where Items.Element: Identifiable {
        evaluating { context in
            let calls = items.map { PageCall(id: AnyHashable($0.id), text: text($0)) }
            context.turn.calls = context.turn.calls.with(calls)
        }
    }
}
