// GenericScreen: shows a feature without a view as its states, events and effects.

internal import NapkinCore
internal import NapkinFront

struct GenericScreen: View {
    /// The least width for states beside events, in cells.
    private static let besideFrom = 100
    let model: GenericModel

    var body: some View {
        Alternative(plain: model.plainText, keys: model.plainKeys) {
            if let arguments = model.arguments {
                Text(GenericModel.entry("arguments", arguments)).lineLimit(1)
            }
            HStack(spacing: 1, stackedBelow: Self.besideFrom) {
                if model.node.logs.entries.isEmpty {
                    states.frame(maxWidth: .share(3))
                } else {
                    VStack {
                        states
                        logs
                    }
                    .frame(maxWidth: .share(3))
                }
                VStack {
                    events
                    effects
                }
                .frame(maxWidth: .share(2))
            }
            .keyBindings(model.keys)
        }
        .navigationTitle(model.node.feature.rawValue)
    }

    private var states: some View {
        let rows = model.tree.rows
        return GroupBox("State") {
            if rows.isEmpty { Text("nothing presented yet").foregroundStyle(.secondary) }
            List(rows, id: \.path) {
                Text($0.line)
            } primaryAction: { [tree = model.tree] row in
                if row.isFolded != nil { tree.turn(row.path) }
            }
            .onKeyPress { [tree = model.tree] key, row in
                switch key {
                case .right: return tree.fold(row, false)
                case .left: return tree.fold(row, true)
                case .character(" ") where row.isFolded != nil:
                    tree.turn(row.path)
                    return true
                default: return false
                }
            }
            .withAside(\.key).id("states")
        }
    }

    private var events: some View {
        let events = Array(model.events.enumerated())
        return GroupBox("Events") {
            if events.isEmpty { Text("takes none").foregroundStyle(.secondary) }
            List(events, id: \.offset) { index, method in
                let digit = index < GenericModel.eventsMax ? "\(index + 1)" : " "
                let more = method.parameters.isEmpty ? "" : " …"
                return Text("\(digit) ").foregroundStyle(.key)
                    + Text(MethodWords.title(of: method.key))
                    + Text(more).foregroundStyle(.secondary)
            } primaryAction: { [model] in
                model.choose($0.element)
            }
            .withAside(\.element.key).id("events")
        }
    }

    @ViewBuilder private var effects: some View {
        if !model.effects.isEmpty {
            GroupBox("Effects") {
                List(model.effects) { [model] effect in
                    Text("\(effect.time) ").foregroundStyle(.secondary)
                        + Text(MethodWords.title(of: model.name(of: effect.method)))
                        .foregroundStyle(.accent) + Text(" \(effect.text)")
                }
                .followsEnd().withAside { [model] in model.name(of: $0.method) }.id("effects")
            }
        }
    }

    private var logs: some View {
        ForEach(model.node.logs.entries, id: \.method) { method, log in
            GroupBox(MethodWords.title(of: model.name(of: method))) {
                List(log.start(items: GenericModel.itemsMax)..<log.next, id: \.self) {
                    Text(model.text(of: log, $0))
                }
                .followsEnd().id("log \(method.rawValue)")
            }
        }
    }
}
