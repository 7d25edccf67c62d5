// RouterCore inventory: the place of a router's feature in the inventory of its tree.

extension RouterCore {
    /// Names this feature in the inventory, and renames the features that are already below it.
    func enterInventory(of parent: RouterCore?) {
        let account = interactable.lifecycle.account
        let name = slot.isEmpty ? feature.lastComponent : slot
        if let parent {
            account.attach(as: name, under: parent.interactable.lifecycle.account)
        } else {
            account.attach(as: name, to: makeInventory())
        }
        for child in children { child.router.core.enterInventory(of: self) }
    }

    /// Declares that nothing of this subtree is in use any longer.
    func leaveInventory() {
        interactable.lifecycle.account.detach()
        for child in children { child.router.core.leaveInventory() }
    }
}

extension FeatureID {
    /// The last component: `pit-board` of `rib-house.pit-board`.
    fileprivate var lastComponent: String {
        rawValue.split(separator: ".").last.map(String.init) ?? rawValue
    }
}
