// Previews: the views of Rib House in states that are worth a look.

public import NapkinElements
import RibHouseContract

/// What `rib-house preview` shows.
public enum RibHousePreviews {
    @PreviewBuilder public static var all: [Preview] {
        Preview("Door") { LoggedOutScreen(listener: Nobody()) }
        Preview("Table") { LoggedInScreen(user: joe, model: .table) }
        Preview("Last call") { LoggedInScreen(user: joe, model: .lastCall) }
        Preview("Full board") { PitBoardScreen(model: .full) }
        Preview("Nothing on the fire") { PitBoardScreen(model: PitBoardModel(listener: Nobody())) }
    }
}

private let joe = User(name: "Smokey Joe", foods: [])

/// Whom a preview tells what is tapped.
private actor Nobody: LoggedOutPresentableListener, LoggedInPresentableListener,
    PitBoardPresentableListener
{
    func didTapLogin() async {}
    func didTapPitBoard() async {}
    func didTapLogout() async {}
    func didTapBack() async {}
}

extension LoggedInModel {
    fileprivate static var table: LoggedInModel {
        let model = LoggedInModel(listener: Nobody())
        model.pitSummary = "2 SMOKING · 1 RESTING"
        model.foods = ["Brisket", "Pulled Pork", "St. Louis Ribs", "Burnt Ends", "Smoked Sausage"]
        return model
    }

    fileprivate static var lastCall: LoggedInModel {
        let model = table
        model.banner = "LAST CALL · Brisket"
        return model
    }
}

extension PitBoardModel {
    fileprivate static var full: PitBoardModel {
        let model = PitBoardModel(listener: Nobody())
        model.sections = [
            section(.lighting, "Smoked Sausage"), section(.smoking, "St. Louis Ribs"),
            section(.resting, "Pulled Pork", "Burnt Ends"), section(.served, "Brisket"),
        ]
        model.specials = [
            Special(id: "1", name: "Hot Links"), Special(id: "2", name: "Dino Beef Rib"),
        ]
        return model
    }

    private static func section(_ stage: PitItem.Stage, _ names: String...) -> PitSection {
        PitSection(
            stage: stage, items: names.map { PitItem(id: $0, name: $0, stage: stage) })
    }
}
