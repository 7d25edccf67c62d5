// Presentations: views presented over a view: an alert, a sheet.

extension View {
    /// Returns the view with a sheet over it while `isPresented` is true. Escape closes it, unless
    /// a button in it uses that key.
    public func sheet(
        _ title: String = "", isPresented: Binding<Bool>,
        @ViewBuilder content: @escaping () -> some View
    ) -> some View {
        presented(title, isPresented, content)
    }

    /// Returns the view with an alert over it while `isPresented` is true: a text, and buttons that
    /// also close the alert; *OK* if there are none.
    public func alert(
        _ title: String, isPresented: Binding<Bool>,
        @ViewBuilder actions: @escaping () -> some View,
        @ViewBuilder message: @escaping () -> some View = { EmptyView() }
    ) -> some View {
        presented(title, isPresented) {
            message()
            Flow { actions().orElse(Button("OK") {}).closing(isPresented) }.padding(.top)
        }
    }

    /// Returns the view with a question over it while `isPresented` is true. It looks like an
    /// alert: a terminal has no other shape for it.
    public func confirmationDialog(
        _ title: String, isPresented: Binding<Bool>,
        @ViewBuilder actions: @escaping () -> some View,
        @ViewBuilder message: @escaping () -> some View = { EmptyView() }
    ) -> some View {
        alert(title, isPresented: isPresented, actions: actions, message: message)
    }

    private func presented(
        _ title: String, _ isPresented: Binding<Bool>,
        @ViewBuilder _ content: @escaping () -> some View
    ) -> some View {
        ModifiedView(
            content: self,
            after: { elements, context in
                guard isPresented.wrappedValue else {
                    context.site.memory = nil
                    return elements
                }
                let close = { isPresented.wrappedValue = false }
                var inner = context
                inner.environment.dismiss = DismissAction(close)
                let content = inner.render(content(), .part("presented")).leaving("Close", close)
                context.turn.presentations.append(
                    RenderTurn.Presentation(
                        title, content, in: context.memory { BoxMemory() }))
                return elements
            })
    }

    /// Returns the view with another one in its place while it shows nothing.
    private func orElse(_ other: some View) -> some View {
        ModifiedView(
            content: self,
            after: { elements, context in
                elements.isEmpty ? context.render(other, .part("else")) : elements
            })
    }

    /// Returns the buttons, which also close the presentation around them.
    private func closing(_ isPresented: Binding<Bool>) -> some View {
        modified { $0.closing(isPresented) }
    }
}

extension RenderedElement {
    fileprivate func closing(_ isPresented: Binding<Bool>) -> RenderedElement {
        switch self {
        case .button(let button):
            .button(
                ButtonElement(
                    label: button.label, key: button.key, role: button.role,
                    isEnabled: button.isEnabled
                ) {
                    isPresented.wrappedValue = false
                    button.action()
                })
        default: mapped { $0.map { $0.closing(isPresented) } }
        }
    }
}
