// Searchable: a search field above a view.

extension View {
    /// Returns the view with a search field above it; `/` focuses the field.
    ///
    /// As in SwiftUI, the view filters its content. Unlike there, the field is always visible.
    public func searchable(text: Binding<String>, prompt: String = "search") -> some View {
        Searchable(content: self, prompt: prompt, text: text)
    }
}

private struct Searchable<Content: View>: View {
    let content: Content
    let prompt: String
    let text: Binding<String>
    @FocusState private var isSearching: Bool

    var body: some View {
        VStack {
            TextField(prompt, text: text).focused($isSearching).id("search")
            content
        }
        .keyBindings([KeyBinding("/", "Search") { isSearching = true }])
    }
}
