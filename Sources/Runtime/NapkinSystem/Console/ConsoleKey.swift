// ConsoleKey: maps a browser's name of a key to libvterm's keyboard.
//
// Spec  UI Events KeyboardEvent key Values (W3C). Control characters: ECMA-48, and the codes that
//       tmux and xterm send where libvterm would send `CSI u`, which few programs read.

import CVterm

struct ConsoleKey {
    private enum Kind {
        case key(VTermKey)
        case character(Unicode.Scalar)
        /// Characters, or a control character that libvterm has no other way to send.
        case text(String.UnicodeScalarView)
    }

    private let kind: Kind
    private let modifiers: VTermModifier

    private static let named: [String: VTermKey] = [
        "Enter": VTERM_KEY_ENTER, "Tab": VTERM_KEY_TAB, "Backspace": VTERM_KEY_BACKSPACE,
        "Escape": VTERM_KEY_ESCAPE, "ArrowUp": VTERM_KEY_UP, "ArrowDown": VTERM_KEY_DOWN,
        "ArrowLeft": VTERM_KEY_LEFT, "ArrowRight": VTERM_KEY_RIGHT, "Insert": VTERM_KEY_INS,
        "Delete": VTERM_KEY_DEL, "Home": VTERM_KEY_HOME, "End": VTERM_KEY_END,
        "PageUp": VTERM_KEY_PAGEUP, "PageDown": VTERM_KEY_PAGEDOWN,
    ]
    /// Characters that Control turns into one that libvterm cannot send otherwise.
    private static let controls: [Unicode.Scalar: UInt8] = [
        "i": 9, "j": 10, "m": 13, "[": 27, "@": 0, "2": 0, "3": 27, "4": 28, "5": 29, "6": 30,
        "7": 31, "/": 31, "-": 31, "8": 127, "?": 127,
    ]

    /// Reads a name; `nil` if no key has it.
    init?(_ name: String) {
        var rest = Substring(name)
        var modifiers: UInt32 = 0
        let prefixes = [
            ("Control+", VTERM_MOD_CTRL), ("Alt+", VTERM_MOD_ALT), ("Shift+", VTERM_MOD_SHIFT),
        ]
        while let (prefix, bit) = prefixes.first(where: { rest.hasPrefix($0.0) }) {
            rest = rest.dropFirst(prefix.utf8.count)
            modifiers |= bit.rawValue
        }
        if let key = Self.named[String(rest)] {
            kind = .key(key)
        } else if rest.first == "F", let number = Int(rest.dropFirst()), 1...12 ~= number {
            kind = .key(VTermKey(VTERM_KEY_FUNCTION_0.rawValue + UInt32(number)))
        } else if rest.count == 1, let scalar = rest.unicodeScalars.first, scalar.value >= 0x20 {
            // Shift has already changed the character.
            modifiers &= ~VTERM_MOD_SHIFT.rawValue
            let isControl = modifiers & VTERM_MOD_CTRL.rawValue != 0
            let small = scalar.properties.lowercaseMapping.unicodeScalars.first ?? scalar
            let lower = isControl ? small : scalar
            if isControl, let byte = Self.controls[lower] {
                modifiers &= ~VTERM_MOD_CTRL.rawValue
                kind = .character(Unicode.Scalar(byte))
            } else if rest.unicodeScalars.count > 1 {
                kind = .text(String(rest).unicodeScalars)
            } else {
                let isKnown = ("a"..."z").contains(lower) || " \\]^_".unicodeScalars.contains(lower)
                if !isKnown { modifiers &= ~VTERM_MOD_CTRL.rawValue }
                kind = .character(lower)
            }
        } else {
            return nil
        }
        self.modifiers = VTermModifier(modifiers)
    }

    func press(_ terminal: OpaquePointer) {
        switch kind {
        case .key(let key): vterm_keyboard_key(terminal, key, modifiers)
        case .character(let scalar): vterm_keyboard_unichar(terminal, scalar.value, modifiers)
        case .text(let scalars):
            for scalar in scalars { vterm_keyboard_unichar(terminal, scalar.value, modifiers) }
        }
    }
}
