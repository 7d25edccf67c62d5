// WebTab+Events: performs a person's actions on a page.
//
// Invariant  an event for an absent, covered or disabled element does nothing.

import NapkinElements

extension WebTab {
    /// Performs the action in a page's message.
    func take(_ text: String) {
        guard let event = PageEvent(text) else { return }
        guard event.number > acknowledged else { return }
        acknowledged = event.number
        guard event.type != .leave else {
            hasLeft = true
            return
        }
        renderIfNeeded()
        if event.type != .focus { content.personActed() }
        act(event)
        redraw()
    }

    private func act(_ event: PageEvent) {
        if event.type == .key { return press(event) }
        guard let id = event.id else { return }
        if event.type == .focus { return focus(id) }
        guard let target = targets[id] else { return }
        switch (event.type, target) {
        case (.press, .button(let button)):
            if event.label == button.label { button.action() }
        case (.press, .key(let binding)):
            if event.label == binding.label { binding.action() }
        case (.press, .more(let list, let step)): _ = list.scroll(by: step)
        case (.press, .sort(let sort, let column)): sort(column)
        case (.press, .own(let own)):
            if let text = event.text, text.utf8.count <= WebLimits.ownEventBytesMax {
                own.event(text)
            }
        case (.text, .field(let field)):
            guard let text = event.text else { return }
            if !field.fill(text) {
                content.notice.say("the field is full: it takes \(FieldMemory.bytesMax) bytes")
            }
            pageWrote(text, in: id)
        case (.text, .filter(let list, _)):
            list.memory.filter(by: FoundWords(event.text ?? ""))
            pageWrote(list.memory.words.text, in: id)
        case (.submit, .filter(_, let list)): endFilter(list)
        case (.submit, .field(let field)):
            if let submit = field.submit { submit() } else { keys.binding(for: .enter)?.action() }
        case (.toggle, .toggle(let toggle)):
            if let isOn = event.isOn { toggle.isOn.wrappedValue = isOn }
        case (.pick, .picker(let picker)):
            guard let row = event.row, picker.options.indices.contains(row) else { return }
            picker.selection.wrappedValue = row
        case (.select, .list(let list)):
            if let row = event.row { list.select(row) }
        case (.choose, .list(let list)):
            // The page names the selected row; if the selection has moved, another row was meant.
            guard let row = event.row, row == list.memory.selection, row < list.count else {
                return
            }
            list.choose?(row)
        case (.console, .console(let console)): console.take(event)
        case (.select, .tabs(let count, let select)):
            guard let row = event.row, (0..<count).contains(row) else { return }
            select(row)
        default: break
        }
    }

    /// Passes a key to the focused list first, then to the views.
    private func press(_ event: PageEvent) {
        guard let key = event.key.flatMap(Key.init(dom:)) else { return }
        if let id = event.id, case .list(let list) = targets[id], list.count > 0 {
            let selection = list.memory.selection
            if list.press(key, selection) { return }
            if let target = list.memory.target(of: key) { return list.select(target) }
            if key == .enter, let choose = list.choose { return choose(selection) }
        }
        if let id = event.id, filter(by: key, id) { return }
        keys.binding(for: key)?.action()
    }

    /// `/` begins to filter a list, Escape shows all of it, `n` and `N` go to the next and the
    /// previous remaining row; returns false for other keys.
    private func filter(by key: Key, _ id: String) -> Bool {
        switch (key, targets[id]) {
        case (.character("/"), .list) where keys.binding(for: key) == nil:
            filtered = id
            wanted = "\(id).f"
            redraw()
        case (.character(let letter), .list(let list))
        where "nN".contains(letter) && !list.memory.words.isEmpty && list.count > 0
            && keys.binding(for: key) == nil:
            let step = letter == "n" ? 1 : -1
            list.select((list.memory.selection + step + list.count) % list.count)
        case (.escape, .list(let list)) where !list.memory.words.isEmpty:
            list.memory.filter(by: FoundWords())
        case (.escape, .filter(let list, let id)):
            list.memory.filter(by: FoundWords())
            endFilter(id)
        default: return false
        }
        return true
    }

    private func endFilter(_ list: String) {
        filtered = nil
        wanted = list
        redraw()
    }

    /// Reports the focus to the views, first to the view that has lost it.
    private func focus(_ id: String) {
        focused = id
        for isFocused in [false, true] {
            for element in focuses where (element.id == id) == isFocused {
                guard element.isFocused.wrappedValue != isFocused else { continue }
                element.isFocused.wrappedValue = isFocused
            }
        }
    }
}
