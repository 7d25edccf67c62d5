// C7Generic: one method for each type.

public import NapkinCore

@Crossing
public protocol BoardPresentableListener: PresentableListener {
    func didPick(item: String) async
    func didPick(number: Int) async
}
