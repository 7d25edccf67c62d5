// Question: what a run or a script wants to know, and who has said what.

public import NapkinCore

/// A question for whoever looks.
@Message
public struct Question: Hashable, Identifiable {
    /// Its number, from 1.
    public var id: Int = 0
    public var text: String
    public var choices: [String] = ["yes", "no"]
    /// The answer if nobody gives one in time.
    public var fallback: String?
    /// How long it waits: `10m`; `nil` for as long as it takes.
    public var within: String?
    /// The run that asks.
    public var run: Int?
    /// When it was asked, and when it ends, in seconds since 1970.
    public var asked: Double = 0
    public var until: Double?
    public var answer: Answer?

    /// What was said; nothing if nobody has answered in time.
    @Message
    public struct Answer: Hashable {
        public var choice: String?
        public var by: String
        /// In seconds since 1970.
        public var at: Double
    }
}
