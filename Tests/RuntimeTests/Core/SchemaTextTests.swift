// SchemaTextTests: schemas as text, and back.

import NapkinCore
import TestSupport
import Testing

@Suite("Schemas as text")
struct SchemaTextTests {
    private static let text = #"""
        app rib-house

        feature rib-house.pit-board
          arguments                     Guest
          ask confirm(_:)               throws
            _ question                  String
            ->                          Bool
          state present(sections:for:)
            sections                    [String: [Guest?]]
            for user                    Guest
          event didTapBack()
          event leave()                 throws Move

        struct Guest
          "odd  \"key\""                Int?
          count                         Int = default
          a.very-long.key.that.does.not.fit.into.the.column  [Guest]

        enum Move
          go
            to                          String
            _1                          Double?
            _2                          Bool = default
          idle

        opaque Point

        raw Size                        Int

        enum Stage                      String
          lit                           "on \\ \u{a}fire"
          out                           ""

        """#

    @Test func `what is read is written again, letter for letter`() throws {
        let schema = try SchemaText.schema(from: Self.text)
        #expect(SchemaText.text(of: schema) == Self.text)
        let keys = schema.features[0].presents.map(\.key)
        #expect(keys == ["confirm(_:)", "present(sections:for:)"])
        #expect(schema.features[0].presents[1].parameters[1].label == "for")
        #expect(schema.features[0].listens.map(\.error) == [nil, "Move"])
        #expect(schema.features[0].listens.map(\.isThrowing) == [false, true])
        #expect(schema.types[0].fields?[0] == FieldSchema(key: "odd  \"key\"", type: "Int?"))
        let count = FieldSchema(key: "count", type: "Int", hasDefault: true)
        #expect(schema.types[0].fields?[1] == count)
        #expect(schema.types[4].cases?[0].value == "on \\ \nfire")
    }

    @Test func `comments, blank lines and an order make no difference`() throws {
        let blocks = Self.text.split(separator: "\n\n")
        let turned = [blocks[0]] + blocks.dropFirst().reversed()
        let other = "# a comment\n\n\(turned.joined(separator: "\n\n# another\n"))\n"
        #expect(SchemaText.text(of: try SchemaText.schema(from: other)) == Self.text)
    }

    @Test(arguments: [
        ("", "line 1: there is no line 'app NAME'"),
        ("feature a", "line 1: the first line is 'app NAME'"),
        ("app a\napp b", "line 2: there is one app in a file"),
        ("app a\nfeature", "line 2: 'feature' needs a name"),
        (
            "app a\nclass B",
            "line 2: 'class' is none of app, feature, durable, struct, enum, raw and opaque"
        ),
        ("app a\n   x", "line 2: this is indented by neither 0, 2 nor 4 spaces"),
        ("app a\n  x  Int", "line 2: 'x' belongs to nothing"),
        (
            "app a\nfeature b\n  tap x()",
            "line 3: 'tap x()' is none of arguments, state, effect, log, event and ask"
        ),
        ("app a\nfeature b\n  event x()  fails", "line 3: 'fails' is not 'throws'"),
        ("app a\nfeature b\n    x  Int", "line 3: 'x' belongs to no method"),
        ("app a\nfeature b\n  event x(y:)\n    y", "line 4: 'y' has no type"),
        ("app a\nstruct B\n  x", "line 3: field 'x' has no type"),
        ("app a\nstruct B\n  x  Int\n    y  Int", "line 4: 'y' belongs to no case"),
        ("app a\nenum B\n    y  Int", "line 3: 'y' belongs to no case"),
        ("app a\nenum B\n  x\n    y", "line 4: value 'y' has no type"),
        ("app a\nopaque B\n  x  Int", "line 3: 'x' is in a type that has no parts"),
    ])
    func `what is no schema is told with its line`(text: String, message: String) {
        let error = #expect(throws: SchemaTextError.self) { try SchemaText.schema(from: text) }
        #expect(error?.description == message)
    }

    @Test func `any text is read or refused`() throws {
        var random = Randomness(seed: 1)
        let letters = Array(Self.text + "\"\\ \n<>[]:?{}")
        for _ in 0..<2000 {
            var text = Array(Self.text)
            for _ in 0..<Int.random(in: 1...8, using: &random) {
                let place = Int.random(in: 0..<text.count, using: &random)
                let letter = letters.randomElement(using: &random) ?? " "
                text.insert(letter, at: place)
                if Bool.random(using: &random) { text.remove(at: place + 1) }
            }
            // Most are refused; what is read is written and read again to the same.
            guard let schema = try? SchemaText.schema(from: String(text)) else { continue }
            let written = SchemaText.text(of: schema)
            let again = try SchemaText.schema(from: written)
            #expect(SchemaText.text(of: again) == written)
        }
    }

    @Test func `the hash sees a field, and no order of types`() throws {
        let app = try SchemaText.schema(from: Self.text)
        let before = try #require(app.feature("rib-house.pit-board"))
        var after = before
        after.types?[0].fields?[0].type = "Int"
        #expect(before.hash != after.hash)
        after = before
        after.types?[0].fields?[1].hasDefault = nil
        #expect(before.hash != after.hash)
        var moved = before
        moved.types?.reverse()
        #expect(before.hash == moved.hash)
    }
}
