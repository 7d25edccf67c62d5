// MethodWords: turns a method's name in the contract into a title.

/// Titles of methods, for dialogs and for the menus of features without a view.
package nonisolated enum MethodWords {
    /// Labels that are prepositions and so left out of a title.
    private static let prepositions: Set = [
        "as", "at", "by", "for", "from", "in", "into", "of", "on", "to", "with",
    ]

    /// Returns `Confirm emptying` for `confirmEmptying(_:)`, `Supplies` for `present(supplies:)`,
    /// `Login` for `didTapLogin()`, `Change quantity` for `change(quantity:of:)`.
    ///
    /// A text that is not a method's key is returned unchanged.
    package static func title(of key: String) -> String {
        guard let open = key.firstIndex(of: "("), open != key.startIndex, key.last == ")" else {
            return key
        }
        let labels = key[key.index(after: open)...].dropLast().split(separator: ":")
        var words = self.words(in: key[..<open])
        let label = labels.first.flatMap { $0 == "_" ? nil : self.words(in: $0) } ?? []
        // The place on the screen already says that the value is presented.
        if words == ["present"], !label.isEmpty {
            words = []
        } else if words.count > 2, words.starts(with: ["did", "tap"]) {
            words.removeFirst(2)
        } else if words.count > 1, words.first == "did" {
            words.removeFirst()
        }
        let isPreposition = label.count == 1 && prepositions.contains(label[0])
        if !isPreposition, label.last != words.last { words += label }
        let title = words.joined(separator: " ")
        return title.prefix(1).uppercased() + title.dropFirst()
    }

    /// Splits `openURLOfDish` into open, URL, of, dish.
    private static func words(in name: Substring) -> [String] {
        var words: [String] = []
        var word = ""
        let letters = Array(name)
        for (index, letter) in letters.enumerated() {
            let isStart =
                index > 0 && letter.isUppercase
                && (!letters[index - 1].isUppercase
                    || letters.dropFirst(index + 1).first?.isLowercase == true)
            if isStart || letter == "_" {
                if !word.isEmpty { words.append(word) }
                word = ""
            }
            if letter != "_" { word.append(letter) }
        }
        if !word.isEmpty { words.append(word) }
        return words.map { $0.count > 1 && $0.allSatisfy(\.isUppercase) ? $0 : $0.lowercased() }
    }
}
