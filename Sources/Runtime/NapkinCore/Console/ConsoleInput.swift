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
    /// A text that came at once; the program is told so if it wants to know.
    case paste(String)
    /// The left button, at a cell from 0.
    case click(row: Int, column: Int)
    /// The wheel over a cell, in lines, down is positive: for the program if it takes the mouse,
    /// as arrows on an alternate screen, otherwise through the history.
    case wheel(row: Int, column: Int, lines: Int)
    /// The size that the person who types has room for.
    case resize(rows: Int, columns: Int)
    /// Through the history, in lines, up is negative.
    case scroll(lines: Int)
    /// Scrolls to the nearest line above the shown ones that has these words, in upper or lower
    /// case; with none of the history shown, also on the screen.
    case find(String)
}
