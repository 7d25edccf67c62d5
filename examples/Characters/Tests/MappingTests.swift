// MappingTests: from the server's JSON to the domain: what is taken, and what is refused and why.

import Foundation
import Testing

@testable import CharactersNetworking

@Suite struct MappingTests {
    private static let long = String(repeating: "a", count: 121)

    private func dto<T: Decodable>(_ text: String, as type: T.Type = T.self) throws -> T {
        try JSONDecoder().decode(T.self, from: Data(text.utf8))
    }

    @Test func `a profile is taken as it is`() throws {
        let profile = try CharacterProfile(dto(FakeServer.character("ann")), of: "ann")
        #expect(
            profile
                == CharacterProfile(
                    id: "ann", name: "ann 1", role: "cook", home: "here", motto: "m", story: "s",
                    dishes: ["d"], portrait: "/portraits/ann.pgm"))
    }

    @Test(arguments: [
        (#""id":"ann""#, #""id":null"#, "character.id is missing"),
        (#""id":"ann""#, #""id":"bob""#, "character.id is bob, and ann was asked for"),
        (#""id":"ann""#, #""id":"../ann""#, "not made of a-z"),
        (#""name":"ann 1""#, #""nome":"ann""#, "character.name is missing"),
        (#""name":"ann 1""#, #""name":"""#, "character.name has 0 bytes"),
        (#""name":"ann 1""#, #""name":"\#(long)""#, "character.name has 121 bytes"),
        (#""name":"ann 1""#, #""name":"a\u001b[2J""#, "character.name has control characters"),
        (#""role":"cook""#, #""role":null"#, "character.role is missing"),
        (#""home":"here""#, #""home":"""#, "character.home has 0 bytes"),
        (#""motto":"m""#, #""motto":"a\nb""#, "character.motto has control characters"),
        (#""story":"s""#, #""story":null"#, "character.story is missing"),
        (#""dishes":["d"]"#, #""dishes":null"#, "character.dishes is missing"),
        (#""dishes":["d"]"#, #""dishes":["d",""]"#, "character.dishes has 0 bytes"),
        (
            #""dishes":["d"]"#, #""dishes":["1","2","3","4","5","6","7","8","9","0","a","b","c"]"#,
            "character.dishes is missing, or too long"
        ),
        (#""/portraits/ann.pgm""#, "null", "character.portrait is missing"),
        (#""/portraits/ann.pgm""#, #""ann.pgm""#, "character.portrait is no path"),
        (#""/portraits/ann.pgm""#, #""/../etc/passwd""#, "character.portrait is no path"),
        (#""/portraits/ann.pgm""#, #""/a b""#, "character.portrait is no path"),
    ])
    func `a profile that is malformed is refused by the name of the field`(
        part: String, wrong: String, words: String
    ) throws {
        let text = FakeServer.character("ann").replacing(part, with: wrong)
        #expect(text.contains(wrong))
        let error = #expect(throws: MappingError.self) {
            try CharacterProfile(dto(text), of: "ann")
        }
        #expect(error?.description.contains(words) == true, "\(String(describing: error))")
    }

    @Test func `a page is taken as it is`() throws {
        let answer = try dto(FakeServer.page(3), as: AnswerDTO<PageAnswerDTO>.self)
        let page = try CharacterPage(answer.data?.characters, number: 3)
        #expect(
            page
                == CharacterPage(
                    number: 3, pageCount: 3, total: 5,
                    characters: [CharacterSummary(id: "eve", name: "eve 1", role: "cook")]))
    }

    @Test(arguments: [
        (#"{"info":{"count":1,"pages":1},"results":null}"#, "characters.results is missing"),
        (#"{"results":[]}"#, "characters.info.pages is missing"),
        (#"{"info":{"count":0,"pages":-1},"results":[]}"#, "characters.info.pages is -1"),
        (#"{"info":{"pages":0},"results":[]}"#, "characters.info.count is missing"),
        (
            #"{"info":{"count":0,"pages":1},"results":[{"id":"a","name":"n","role":"r"}]}"#,
            "characters.info.count is 0"
        ),
        (
            #"{"info":{"count":9,"pages":1},"results":[{"id":"a","name":"n","role":"r"},{}]}"#,
            "characters.results[1].id is missing"
        ),
        (
            #"{"info":{"count":9,"pages":1},"results":[{"id":"a","name":"n","role":"r"},"#
                + #"{"id":"a","name":"m","role":"r"}]}"#, "has a more than once"
        ),
        ("null", "characters is missing"),
    ])
    func `a page that is malformed is refused by the name of the field`(
        text: String, words: String
    ) throws {
        let page = try dto(text, as: PageDTO?.self)
        let error = #expect(throws: MappingError.self) { try CharacterPage(page, number: 1) }
        #expect(error?.description.contains(words) == true, "\(String(describing: error))")
    }

    @Test func `a page has a limit`() throws {
        func page(of count: Int) throws -> PageDTO {
            let rows = (0..<count).map { #"{"id":"a\#($0)","name":"n","role":"r"}"# }
            return try dto(
                #"{"info":{"count":99,"pages":1},"results":[\#(rows.joined(separator: ","))]}"#)
        }
        #expect(try CharacterPage(page(of: 80), number: 1).characters.count == 80)
        #expect(throws: MappingError.self) { try CharacterPage(page(of: 81), number: 1) }
    }

    @Test func `a picture is taken as it is`() throws {
        let picture = try Picture(graymap: FakeServer.graymap)
        #expect(picture.width == 2)
        #expect(picture.height == 2)
        #expect(picture.pixels == [0, 255, 255, 0])
    }

    @Test(arguments: [
        ("", "no P5"), ("P6\n1 1\n255\nx", "no P5"), ("P51 1\n255\nx", "no space before its width"),
        ("P5\n0 1\n255\nx", "width"), ("P5\n257 1\n255\nx", "width"), ("P5\n1 x\n255\nx", "height"),
        ("P5\n1 99999999999999999999\n255\nx", "height"), ("P5\n1 1\n65535\nx", "depth"),
        ("P5\n1 1\n255\n", "0 pixels"), ("P5\n1 1\n255", "0 pixels"),
        ("P5\n1 1\n255\nxx", "2 pixels"), ("P5\n2 2\n255\nxxx", "3 pixels, and not 2 × 2"),
    ])
    func `what is no picture is refused in words`(text: String, words: String) {
        let error = #expect(throws: Picture.Malformed.self) {
            try Picture(graymap: Array(text.utf8))
        }
        #expect(error?.description.contains(words) == true, "\(String(describing: error))")
    }
}
