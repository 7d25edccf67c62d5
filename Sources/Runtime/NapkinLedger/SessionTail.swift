// SessionTail: counts the records of a session that its stored image lacks.
//
// Ownership  owned by the journal, until the image is stored.

/// The records that a session has made since its image was stored.
@MainActor
final class SessionTail {
    /// Bytes of records after which the image is written again, unless the image itself is larger
    /// than half of that. Chosen: a restore reads no more than an image of some size and its tail.
    static let bytesMax = 64 * 1024
    /// The number of groups that a session with few records may keep from being trimmed. Chosen: if
    /// each group has one event, some megabytes of the store.
    static let groupsMax: GroupNumber = 4096

    let ledger: SessionLedger
    /// The newest group that the stored image includes.
    let base: GroupNumber
    // SAFETY: @exclusivity(unchecked), here and below: all access is on the main actor, and no
    // access spans a call of other code.
    /// The group of the newest record.
    @exclusivity(unchecked) private(set) var newest: GroupNumber
    @exclusivity(unchecked) private(set) var bytes: Int
    /// Whether the image is to be written with the collecting group.
    @exclusivity(unchecked) private(set) var isImageDue = false

    init(ledger: SessionLedger, after stored: Recovery.Records) {
        self.ledger = ledger
        (base, newest, bytes) = (stored.base, stored.newest, stored.bytes)
    }

    /// Counts an added record. Returns whether the image has become due.
    func grew(by count: Int, in group: GroupNumber, isImageDue isDue: Bool) -> Bool {
        let wasDue = isImageDue
        bytes += count
        newest = group
        if isDue || bytes > max(Self.bytesMax, 2 * ledger.imageBytes) {
            isImageDue = true
        }
        return isImageDue && !wasDue
    }
}
