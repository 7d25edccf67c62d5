// PreviewTests: the previews show what their names say.

import NapkinElements
import NapkinTerminal
import RibHouseFront
import Testing

@Suite struct PreviewTests {
    private func stage(_ name: String) throws -> ViewStage {
        let preview = try #require(RibHousePreviews.all.first { $0.name == name })
        return ViewStage(preview.view(), width: 80, height: 24)
    }

    @Test func `the full board has an item in each stage, and the specials`() throws {
        let stage = try stage("Full board")
        #expect(
            stage.tree() == """
                heading "Pit Board"
                group "The pit"
                  group "Lighting"
                    text "Smoked Sausage"
                  group "Smoking"
                    text "St. Louis Ribs"
                  group "Resting"
                    text "Pulled Pork"
                    text "Burnt Ends"
                  group "Served"
                    text "Brisket"
                group "Specials"
                  text "Hot Links"
                  text "Dino Beef Rib"
                button "Back" [b]
                """)
    }

    @Test func `the last call is an alert above the menu`() throws {
        let stage = try stage("Last call")
        #expect(stage.elements(role: .alert).map(\.label) == ["LAST CALL · Brisket"])
        #expect(try self.stage("Table").elements(role: .alert).isEmpty)
    }

    @Test func `each preview shows something, also on the smallest screen`() {
        for preview in RibHousePreviews.all {
            let stage = ViewStage(preview.view(), width: 20, height: 3)
            #expect(!stage.lines.isEmpty, "\(preview.name)")
        }
    }
}
