// AccessibleTreeTests: what those perceive who do not see a screen.

import NapkinElements
import NapkinTerminal
import Testing

/// One of each element.
private struct Everything: View {
    @State private var name = "Joe"
    @State private var password = "secret"
    @State private var isLoud = true
    @State private var tempo = 1
    @State private var dish: String? = "Ribs"
    @State private var row: Int? = 1
    var isDisabled = false

    var body: some View {
        Group {
            VStack {
                Text("Pit").bold()
                Text("Low and ") + Text("slow").foregroundStyle(.accent)
                Text("")
                Divider()
            }
            .padding()
            GroupBox("Smoking") { HStack { Text("Brisket").border() } }
            TextField("for whom", text: $name, problem: "too short")
            SecureField("password", text: $password)
            Toggle("Loud", isOn: $isLoud)
            Picker("Tempo", selection: $tempo, options: ["slow", "fast"])
            List(["Pork", "Ribs", "Links"], id: \.self, selection: $dish) { Text($0) }
            Table(
                [TableColumn("Name"), TableColumn("Price")],
                rows: [["Ribs", "12"], ["Pork", "9"]], selection: $row)
            ProgressView("Smoke", value: 0.4)
            ProgressView("Fire", phase: 1)
            Banner("LAST CALL")
            Lines { _, _ in ["▒"] }.accessibilityLabel("Portrait of Joe")
            VStack { ForEach(["1", "2"], id: \.self) { Text($0) } }.accessibilityLabel("Numbers")
            Button("Back", role: .cancel) {}.keyboardShortcut("b").disabled(isDisabled)
        }
        .keyBindings([
            KeyBinding("r", "Reload") {}, KeyBinding("h", "Hidden", isNamed: false) {},
        ])
        .navigationTitle("Everything")
    }
}

@Suite struct AccessibleTreeTests {
    @Test func `each element is a line with its role, its label and its value`() {
        let stage = ViewStage(Everything(), width: 60, height: 40)
        #expect(
            stage.tree() == """
                heading "Everything"
                heading "Pit"
                text "Low and slow"
                separator
                group "Smoking"
                  text "Brisket"
                field "for whom" = "Joe" problem "too short"
                field "password" = "••••••"
                toggle "Loud" = "on"
                picker "Tempo" = "fast"
                list 3 items, "Ribs" selected
                table 2 rows, "Pork 9" selected
                progress "Smoke" = "40 %"
                progress "Fire"
                alert "LAST CALL"
                image "Portrait of Joe"
                group "Numbers"
                  text "1"
                  text "2"
                button "Back" [b]
                button "Reload" [r]
                """)
    }

    @Test func `elements are found by role and label`() throws {
        let stage = ViewStage(Everything(isDisabled: true), width: 60, height: 40)
        #expect(stage.elements(role: .heading).map(\.label) == ["Everything", "Pit"])
        #expect(stage.elements(role: .text, label: "Brisket").count == 1)
        #expect(stage.elements(role: .textField, label: "for whom").first?.value == "Joe")
        let back = try #require(stage.elements(role: .button, label: "Back").first)
        #expect(!back.isEnabled)
        #expect(stage.tree().contains(#"button "Back" [b] disabled"#))
        #expect(stage.elements(role: .dialog).isEmpty)
    }

    @Test func `what an alert covers is not perceived`() throws {
        struct Door: View {
            @State private var asks = false

            var body: some View {
                Text("Rib House")
                Button("Leave") { asks = true }
                    .alert("Leave?", isPresented: $asks) {
                        Button("Stay") {}.keyboardShortcut("s")
                    } message: {
                        Text("The ribs are nearly done.")
                    }
            }
        }
        let stage = ViewStage(Door(), width: 60, height: 20)
        #expect(stage.tree() == "text \"Rib House\"\nbutton \"Leave\"")
        try stage.click("Leave")
        #expect(
            stage.tree() == """
                dialog "Leave?"
                  text "The ribs are nearly done."
                  button "Stay" [s]
                  button "Close" [Esc]
                """)
        stage.press("s")
        #expect(stage.elements(role: .dialog).isEmpty)
        #expect(stage.lines == ["Rib House", "[ Leave ]"])
    }
}
