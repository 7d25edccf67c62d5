// ConsoleInput: what a person does in a program's terminal, as a value for events.

/// Input for a program in a terminal, which a `HeldConsole` turns into the bytes that the program
/// expects in its present mode.
@Message
public enum ConsoleInput: Hashable {
    /// A key by its name in browsers (`KeyboardEvent.key`), after `Control+`, `Alt+` and `Shift+`:
    /// `a`, `Enter`, `ArrowUp`, `F5`, `Control+c`. An unknown one has no effect.
    case key(String)
    /// Characters as they were typed.
    case text(String)
    /// A pasted text. The program learns that it was pasted if it has asked for that.
    case paste(String)
    /// A click of the left button at a cell, counted from 0.
    case click(row: Int, column: Int)
    /// The wheel over a cell, in lines; down is positive. It goes to the program if that takes the
    /// mouse, becomes arrow keys on an alternate screen, and otherwise scrolls the history.
    case wheel(row: Int, column: Int, lines: Int)
    /// The size that the person's view has room for.
    case resize(rows: Int, columns: Int)
    /// Scrolls the history, in lines; up is negative.
    case scroll(lines: Int)
    /// Scrolls to the nearest line above the shown ones that contains these words, in upper or
    /// lower case. If none of the history is shown, the screen is searched as well.
    case find(String)
}
