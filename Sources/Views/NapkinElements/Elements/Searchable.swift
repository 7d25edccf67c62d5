// Searchable: a field for words above what they filter.

extension View {
    /// Returns the view with a field above it, for words that the view filters by; `/` goes there.
    ///
    /// As in SwiftUI, the view filters itself. Unlike there, the field is always seen.
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
