// InventoryDrawing: a tree's inventory as lines.

import NapkinProtocol

enum InventoryDrawing {
    /// Returns a table of the counts and a line for each owner of objects left behind.
    static func lines(of inventory: SessionInventory?) -> [String] {
        guard let inventory else { return ["  no inventory yet: the tree is being built"] }
        var table = Table("INVENTORY", "CREATED", "RELEASED", "IN USE", "LEFT")
        for count in inventory.counts {
            let inUse = count.created - count.released - count.left
            table.add(
                count.kind, "\(count.created)", "\(count.released)", "\(inUse)", "\(count.left)")
        }
        return (table.lines + remnants(of: inventory)).map { "  " + $0 }
    }

    private static func remnants(of inventory: SessionInventory) -> [String] {
        let left = inventory.counts.reduce(0) { $0 + $1.left }
        guard left > 0 else { return ["nothing is left of what has been detached"] }
        let named = inventory.remnants.reduce(0) { $0 + $1.count }
        let lines = inventory.remnants.map { remnant in
            let times = remnant.count == 1 ? "" : " (\(remnant.count) times)"
            return "left: \(remnant.owner): \(remnant.what)\(times)"
        }
        return named < left ? lines + ["left: \(left - named) more"] : lines
    }
}
