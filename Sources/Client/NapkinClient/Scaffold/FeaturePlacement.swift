// FeaturePlacement: the place of a new feature's view, as given on the command line.

import ArgumentParser

enum FeaturePlacement: EnumerableFlag {
    case embed
    case push
    case tab
    case modal
    case perFront

    static func help(for value: FeaturePlacement) -> ArgumentHelp? {
        switch value {
        case .embed: "In the parent's screen, which is the default."
        case .push: "On top of the parent's screen, until the parent removes it."
        case .tab: "As one of the parent's tabs."
        case .modal: "As a box over the parent's screen, until the parent removes it."
        case .perFront: "In the parent's screen, one for each front, which it alone sees."
        }
    }
}
