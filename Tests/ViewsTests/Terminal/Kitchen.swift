// Kitchen: a feature that this front has no view for, with every kind of type in its schema.

import NapkinCoding
import NapkinCore

@testable import NapkinElements
@testable import NapkinFront
@testable import NapkinTerminal

/// The schema of the kitchen, and stages that show it.
enum Kitchen {
    static let id = "smoke.kitchen"

    static let types = [
        TypeSchema(
            name: "Stage", kind: .raw,
            cases: [
                CaseSchema(key: "raw", value: "raw"), CaseSchema(key: "done", value: "well-done"),
            ], raw: "String"),
        TypeSchema(
            name: "Level", kind: .raw,
            cases: [CaseSchema(key: "low", value: "1"), CaseSchema(key: "high", value: "2")],
            raw: "Int"),
        TypeSchema(
            name: "Order", kind: .structure,
            fields: [
                FieldSchema(key: "name", type: "String"), FieldSchema(key: "count", type: "UInt8"),
                FieldSchema(key: "note", type: "String?"),
                FieldSchema(key: "tags", type: "[String]"),
                FieldSchema(key: "stage", type: "Stage"),
                FieldSchema(key: "payment", type: "Payment"),
                FieldSchema(key: "isSpicy", type: "Bool"),
            ]),
        TypeSchema(
            name: "Payment", kind: .choice,
            cases: [
                CaseSchema(key: "cash"),
                CaseSchema(key: "card", fields: [FieldSchema(key: "number", type: "Int64")]),
            ]),
        TypeSchema(
            name: "Tree", kind: .choice,
            cases: [CaseSchema(key: "node", fields: [FieldSchema(key: "_0", type: "Tree")])]),
        TypeSchema(name: "Sealed", kind: .opaque),
    ]

    static func event(_ key: String, _ parameters: (String, String)...) -> MethodSchema {
        MethodSchema(
            key: key, delivery: .event,
            parameters: parameters.map { ParameterSchema(label: $0.0, name: $0.0, type: $0.1) })
    }

    static func ask(_ key: String, _ result: String?) -> MethodSchema {
        MethodSchema(
            key: key, delivery: .ask,
            parameters: [ParameterSchema(label: "_", name: "question", type: "String")],
            result: result, isThrowing: true)
    }

    static let schema = FeatureSchema(
        feature: id,
        presents: [
            MethodSchema(
                key: "present(board:)", delivery: .state,
                parameters: [
                    ParameterSchema(label: "board", name: "board", type: "[String: Int]")
                ]),
            MethodSchema(
                key: "present(summary:)", delivery: .state,
                parameters: [ParameterSchema(label: "summary", name: "summary", type: "String")]),
            MethodSchema(
                key: "flash(_:)", delivery: .effect,
                parameters: [ParameterSchema(label: "_", name: "item", type: "String")]),
            ask("confirm(_:)", "Bool"), ask("choose(_:)", "Stage"), ask("pay(_:)", "Payment"),
            ask("name(_:)", "String?"), ask("level(_:)", "Level"),
        ],
        listens: [
            event("didTapRing()"), event("didOrder(order:)", ("order", "Order")),
            event("didRename(from:to:)", ("from", "String"), ("to", "String")),
            event("didPlant(tree:)", ("tree", "Tree")), event("didTapClose()"),
        ], types: types)

    /// A stage that shows the kitchen, as node 1.
    static func stage(_ size: ScreenSize = goldenSizes[0]) -> Stage {
        let stage = Stage(size)
        stage.schemas = [schema]
        stage.mounted.mount(id)
        return stage
    }
}
