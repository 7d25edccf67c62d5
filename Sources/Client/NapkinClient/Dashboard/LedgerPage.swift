// LedgerPage: a session's stored records, one by one.

import NapkinElements
import NapkinProtocol

struct LedgerPage: View {
    private static let columns = [
        TableColumn("RECORD", .trailing), TableColumn("SIZE", .trailing, isOptional: true),
        TableColumn("CHANGES"),
    ]

    let model: Dashboard
    @FocusState private var isFocused: Bool

    private var browser: LedgerBrowser { model.ledger }

    var body: some View {
        VStack {
            if subject == nil {
                Text("Nothing of it is stored: it has no durable interactors.")
            } else if let problem = browser.problem {
                Text(problem)
            } else if let session = browser.session {
                Text(LedgerDrawing.head(of: session)).foregroundStyle(.secondary)
                records
                state
            } else {
                Text("Reading…")
            }
        }
        .task(id: subject) { if let ask { await browser.watch(ask) } }
        .task(id: browser.moment) { if let ask { await browser.load(ask) } }
    }

    /// The session, if it can have stored records.
    private var subject: String? {
        guard let info = model.selected?.info else { return nil }
        return info.isStored == true || info.durability != nil ? info.session : nil
    }

    private var ask: LedgerBrowser.Ask? {
        guard let session = subject else { return nil }
        return { [model] (request: LedgerRequest) async throws(ClientFailure) -> LedgerSession in
            try await model.query(.ledger(app: nil, session: session, request: request))
        }
    }

    @ViewBuilder private var records: some View {
        if browser.records.isEmpty {
            Text("Its image has all of its records: none is kept beside it.")
        }
        Table(
            Self.columns,
            rows: browser.records.map {
                ["\($0.record)", Quantity.bytes($0.bytes), $0.changes.joined(separator: "; ")]
            },
            selection: Binding(browser, \.index)
        )
        .id("records").focused($isFocused).onAppear { isFocused = true }
    }

    @ViewBuilder private var state: some View {
        if let record = browser.shownRecord {
            Text("As of record \(record), which has changed what is set off")
                .foregroundStyle(.secondary)
        }
        List(Array(browser.lines.enumerated()), id: \.offset) { _, line in
            let text = Text(line.text)
            return line.isChanged ? text.foregroundStyle(.accent) : text
        }
        .id("stored")
    }
}
