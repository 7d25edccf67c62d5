// Pit: the items on the fire, as a pure model.
//
// Layer      feature. No clocks, streams or tasks here.

import RibHouseContract

/// An event in the pit that is announced.
enum PitEvent: Equatable, Sendable {
    /// The named item has come off the fire and rests.
    case lastCall(String)
}

/// The items of the pit, moved one stage at a time.
struct Pit: Equatable, Sendable {
    private(set) var items: [PitItem]

    init(items: [PitItem] = Self.seed) {
        self.items = items
    }

    /// Moves the first item that is not served to the next stage; starts over if there is none.
    mutating func tick() -> PitEvent? {
        guard let index = items.firstIndex(where: { $0.stage != .served }) else {
            items = Self.seed
            return nil
        }
        items[index].stage = items[index].stage.next
        return items[index].stage == .resting ? .lastCall(items[index].name) : nil
    }

    static let seed = [
        PitItem(id: "brisket", name: "Brisket", stage: .smoking),
        PitItem(id: "pulled-pork", name: "Pulled Pork", stage: .smoking),
        PitItem(id: "ribs", name: "St. Louis Ribs", stage: .lighting),
        PitItem(id: "burnt-ends", name: "Burnt Ends", stage: .resting),
        PitItem(id: "sausage", name: "Smoked Sausage", stage: .lighting),
    ]
}

extension PitItem.Stage {
    /// The next stage; served stays served.
    fileprivate var next: Self {
        switch self {
        case .lighting: .smoking
        case .smoking: .resting
        case .resting, .served: .served
        }
    }
}
