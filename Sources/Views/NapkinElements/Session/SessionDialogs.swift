// SessionDialogs: the dialogs over a session's page, on any screen: its questions, the forms of
// events with arguments, and the newest receipt.
//
// Ownership  the screen owns it; it keeps dialogs until they are answered, sent or abandoned.

package import NapkinCore
internal import NapkinFront
internal import NapkinTransport

package final class SessionDialogs {
    private unowned let screen: SessionScreen
    private let asks = AskBook()
    private var form: OpenForm?
    /// The sent forms whose events have no reply yet, the oldest first.
    private var sentForms: [OpenForm] = []
    /// Whether a person has done something else since the last of these was sent.
    private var hasGoneOn = false
    /// The forms whose events failed after a person had done something else.
    private var refusedForms: [OpenForm] = []
    private var forms = 0
    /// The newest receipt, until the person does something, and the one that they look at.
    private var receipt: Dialog?
    private var openReceipt: Dialog?

    init(_ screen: SessionScreen) { self.screen = screen }

    /// The visible dialog.
    package var shown: Dialog? { asks.shown ?? form?.dialog ?? openReceipt }

    /// The dialog of the form being filled in, visible or not.
    package var openForm: Dialog? { form?.dialog }

    /// Notes that a person has done something.
    func personActed() {
        hasGoneOn = true
        receipt = nil
    }

    /// The keys to dialogs that are not shown.
    var keys: [KeyBinding] { aside + receiptKey }

    /// F2 returns to questions that were put aside and to refused forms.
    private var aside: [KeyBinding] {
        let forms = form == nil ? refusedForms.count : 0
        guard asks.asideCount + forms > 0, asks.shown == nil else { return [] }
        let counts = [(asks.asideCount, "question"), (forms, "refused form")]
        let parts = counts.filter { $0.0 > 0 }.map { $0.counted($1) }
        return [
            KeyBinding(.function(2), parts.joined(separator: ", "), action: acting { $0.takeUp() })
        ]
    }

    private func takeUp() {
        asks.takeUpAll()
        if form == nil, !refusedForms.isEmpty { form = refusedForms.removeFirst() }
    }

    /// Returns an action of a dialog, which changes the screen.
    private func acting(_ action: @escaping (SessionDialogs) -> Void) -> () -> Void {
        { [weak self] in
            guard let self else { return }
            action(self)
            screen.redraw()
        }
    }

    // MARK: - Receipts

    /// Offers a receipt, with the message that the person saw beside it.
    func keep(_ number: UInt64, saying message: String, _ matter: ReceiptView.Matter) {
        let view = ReceiptView(
            message: message, app: screen.front.options.app, number: number, matter: matter,
            close: acting { $0.openReceipt = nil })
        receipt = Dialog(id: "receipt \(number)", title: "Receipt \(number)", view: view)
        screen.redraw()
    }

    /// F3 shows the receipt.
    private var receiptKey: [KeyBinding] {
        guard let receipt, shown == nil else { return [] }
        return [
            KeyBinding(.function(3), receipt.title, action: acting { $0.openReceipt = receipt })
        ]
    }

    // MARK: - Forms

    /// Opens the form of an event.
    func askArguments(_ node: FrontNode, _ method: MethodSchema, _ types: [TypeSchema]) {
        forms += 1
        form = OpenForm(
            forms, method, types, of: node, in: screen.front.tree,
            send: { [weak self] in self?.sendForm($0) },
            cancel: acting { $0.form = nil })
        screen.redraw()
    }

    private func sendForm(_ payload: Payload) {
        guard let form else { return }
        self.form = nil
        sentForms.append(form)
        hasGoneOn = false
        screen.send(form.node, form.method.id, payload)
        screen.redraw()
    }

    /// Reopens the form of a failed event with its content, to be corrected and sent again. If the
    /// person has done something else since, the form is put aside.
    func eventFailed(_ method: MethodID, of node: UInt32) {
        let isNewest = sentForms.last.map { $0.node == node && $0.method.id == method } ?? false
        guard let failed = eventEnded(method, of: node) else { return }
        if isNewest, !hasGoneOn, form == nil { form = failed } else { refusedForms.append(failed) }
        screen.redraw()
    }

    /// Ends the wait for an event's reply, even if its outcome is unknown. Returns its form.
    @discardableResult
    func eventEnded(_ method: MethodID, of node: UInt32) -> OpenForm? {
        sentForms.firstIndex { $0.node == node && $0.method.id == method }
            .map { sentForms.remove(at: $0) }
    }

    /// Moves the forms with their nodes.
    ///
    /// - Parameters:
    ///   - isRebuilt: whether the tree has been built again.
    ///   - isNewEpoch: whether a rebuilt tree is another worker's.
    func follow(isRebuilt: Bool, isNewEpoch: Bool) {
        let tree = screen.front.tree
        func isThere(_ form: OpenForm) -> Bool {
            isRebuilt
                ? form.rebind(in: tree, screen.pages.schemas, isNewEpoch: isNewEpoch)
                : tree.node(form.node) != nil
        }
        sentForms.removeAll { !isThere($0) }
        var lost = refusedForms.filter { !isThere($0) }
        refusedForms.removeAll { form in lost.contains { $0 === form } }
        if let form, !isThere(form) {
            self.form = nil
            lost.append(form)
        }
        guard !lost.isEmpty else { return }
        let notices = [screen.notice.text] + lost.map(\.farewell)
        screen.notice.say(notices.compactMap(\.self).joined(separator: "; "))
    }

    // MARK: - Questions

    /// Shows a question to the person.
    func ask(_ question: Question, of node: FrontNode) {
        let (id, feature) = (question.id, node.feature.rawValue)
        asks.ask(
            question, screen.pages.schemas.first { $0.feature == feature }, feature: feature,
            answer: { [weak self] payload in
                self?.asks.end(id)
                self?.screen.answer(id, payload)
                self?.screen.redraw()
            },
            later: acting { $0.asks.putAside(id) })
        screen.redraw()
    }

    /// Removes a question that was answered elsewhere or is no longer open, and says who has
    /// answered it.
    func endAsk(_ id: UInt64, answeredBy: String?) {
        if let title = asks.end(id), let answeredBy {
            screen.notice.say("\(title): answered by \(answeredBy)")
        }
        screen.redraw()
    }

    /// Marks all questions as unanswerable until the session asks again.
    func connectionEnded() {
        asks.connectionEnded()
        screen.redraw()
    }
}

/// What a person may want to know about a worker's death.
struct ReceiptView: View {
    let message: String
    let app: String
    let number: UInt64
    let matter: Matter
    let close: () -> Void

    /// The consequence of the death.
    enum Matter {
        /// Only that this front's worker was restarted.
        case restart
        /// An event of this front was set aside.
        case setAside
        /// The session was rolled back to an earlier record.
        case rolledBack
    }

    var body: some View {
        Text(message)
        Text("`napkin-client crash show \(app) \(number)` shows where it happened.").padding(.top)
        switch matter {
        case .restart: EmptyView()
        case .setAside:
            Text("What was asked for has ended the worker twice, and is not tried again until")
            Text("`napkin-client crash release \(app) \(number)` says so.")
        case .rolledBack:
            Text("It also names the file with the newer changes, from which")
            Text("`napkin-client ledger import` creates a session of another name.")
        }
        Button("Close", role: .cancel, action: close).keyboardShortcut(.escape).padding(.top)
    }
}

/// The open questions, the oldest first.
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

    /// Returns the title of the question, if it was open.
    @discardableResult
    package func end(_ id: UInt64) -> String? {
        let title = entries.first { $0.question.id == id }?.dialog.title
        entries.removeAll { $0.question.id == id }
        return title
    }

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
