// SessionDialogs: what lies over a session's page, on any screen: its questions, and the forms of
// events with arguments.
//
// Ownership  keeps the dialogs until they are answered, sent or given up; the tree is the front's.

internal import NapkinCoding
package import NapkinCore
package import NapkinFront

/// The dialogs of a session's screen.
package final class SessionDialogs {
    /// What the dialogs leave to others.
    package struct Actions {
        let send: EventSender
        let answer: (_ ask: UInt64, _ payload: Payload) -> Void
        let redraw: () -> Void
        /// Returns what a person is told now.
        let notice: () -> String?
        /// Tells a person something instead.
        let say: (String) -> Void

        package init(
            send: @escaping EventSender, answer: @escaping (UInt64, Payload) -> Void,
            redraw: @escaping () -> Void, notice: @escaping () -> String?,
            say: @escaping (String) -> Void
        ) {
            self.send = send
            self.answer = answer
            self.redraw = redraw
            self.notice = notice
            self.say = say
        }
    }

    let actions: Actions
    private let asks = AskBook()
    private var form: OpenForm?
    /// The forms whose events have no answer, the oldest first.
    private var sentForms: [OpenForm] = []
    /// Whether a person has done something else since the last of them was sent.
    private var hasGoneOn = false
    /// The forms whose events failed when a person had gone on.
    private var refusedForms: [OpenForm] = []
    private var forms = 0

    package init(_ actions: Actions) { self.actions = actions }

    /// The dialog that is seen.
    package var shown: Dialog? { asks.shown ?? form?.dialog }

    /// The dialog of the form that is being filled in, seen or not.
    package var openForm: Dialog? { form?.dialog }

    /// A person has done something.
    package func personActed() { hasGoneOn = true }

    /// F2 returns to the questions that were put aside, and to what was refused.
    package var aside: [KeyBinding] {
        let forms = form == nil ? refusedForms.count : 0
        guard asks.asideCount + forms > 0, asks.shown == nil else { return [] }
        let counts = [(asks.asideCount, "question"), (forms, "refused form")]
        let parts = counts.filter { $0.0 > 0 }.map { "\($0) \($1)\($0 == 1 ? "" : "s")" }
        return [
            KeyBinding(.function(2), parts.joined(separator: ", ")) { [weak self] in
                self?.takeUp()
            }
        ]
    }

    private func takeUp() {
        asks.takeUpAll()
        if form == nil, !refusedForms.isEmpty { form = refusedForms.removeFirst() }
        actions.redraw()
    }

    // MARK: - Forms

    /// Opens the form of an event.
    package func askArguments(
        _ node: FrontNode, _ method: MethodSchema, _ types: [TypeSchema], in tree: FrontTree
    ) {
        forms += 1
        form = OpenForm(
            forms, method, types, of: node, in: tree, send: { [weak self] in self?.sendForm($0) },
            cancel: { [weak self] in
                self?.form = nil
                self?.actions.redraw()
            })
        actions.redraw()
    }

    private func sendForm(_ payload: Payload) {
        guard let form else { return }
        self.form = nil
        sentForms.append(form)
        hasGoneOn = false
        actions.send(form.node, form.method.id, payload)
        actions.redraw()
    }

    /// An event has failed: its form opens again with its content, to be corrected and sent again.
    /// If the person has done something else since, it is put aside.
    package func eventFailed(_ method: MethodID, of node: UInt32) {
        let isNewest = sentForms.last.map { $0.node == node && $0.method.id == method } ?? false
        guard let failed = eventEnded(method, of: node) else { return }
        if isNewest, !hasGoneOn, form == nil { form = failed } else { refusedForms.append(failed) }
        actions.redraw()
    }

    /// An event has been answered, or nobody knows what has become of it. Returns its form.
    @discardableResult
    package func eventEnded(_ method: MethodID, of node: UInt32) -> OpenForm? {
        sentForms.firstIndex { $0.node == node && $0.method.id == method }
            .map { sentForms.remove(at: $0) }
    }

    /// Moves the forms with their nodes.
    ///
    /// - Parameters:
    ///   - isRebuilt: whether the tree has been built again.
    ///   - beginsAnew: whether a rebuilt tree is another worker's.
    package func follow(
        _ tree: FrontTree, _ schemas: [FeatureSchema], isRebuilt: Bool, beginsAnew: Bool
    ) {
        func isThere(_ form: OpenForm) -> Bool {
            isRebuilt
                ? form.goOn(in: tree, schemas, beginsAnew: beginsAnew) : tree.node(form.node) != nil
        }
        sentForms.removeAll { !isThere($0) }
        var lost = refusedForms.filter { !isThere($0) }
        refusedForms.removeAll { form in lost.contains { $0 === form } }
        if let form, !isThere(form) {
            self.form = nil
            lost.append(form)
        }
        guard !lost.isEmpty else { return }
        let notices = [actions.notice()] + lost.map(\.farewell)
        actions.say(notices.compactMap(\.self).joined(separator: "; "))
    }

    // MARK: - Questions

    /// Shows a question to the person.
    package func ask(
        _ id: UInt64, _ method: MethodID, of node: FrontNode, _ payload: Payload,
        _ schemas: [FeatureSchema]
    ) {
        let schema = schemas.first { $0.feature == node.feature.rawValue }
        asks.ask(
            Question(id: id, node: node.id, method: method, payload: payload), schema,
            feature: node.feature.rawValue,
            answer: { [weak self] payload in
                self?.asks.end(id)
                self?.actions.answer(id, payload)
                self?.actions.redraw()
            },
            later: { [weak self] in
                self?.asks.putAside(id)
                self?.actions.redraw()
            })
        actions.redraw()
    }

    /// A question has been answered elsewhere, or is no longer open.
    package func endAsk(_ id: UInt64) {
        asks.end(id)
        actions.redraw()
    }

    /// Nothing can be answered until the session asks again.
    package func connectionEnded() {
        asks.connectionEnded()
        actions.redraw()
    }
}
