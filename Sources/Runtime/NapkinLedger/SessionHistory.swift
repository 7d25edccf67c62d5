// SessionHistory: a stored session as it was after each of its newest records.
//
// Isolation  value; applied and encoded off the loop, since large states take long.

/// The records of a session that its image lacks, and the image before them.
package struct SessionHistory: Sendable {
    package struct Entry: Sendable {
        package var group: GroupNumber
        package var record: Record
        package var bytes: Int
    }

    /// The session as of `oldest`.
    package var image: SessionImage
    package var oldest: GroupNumber
    package var entries: [Entry] = []
}

extension SessionHistory {
    /// The newest group of the history.
    package var newest: GroupNumber { entries.last?.group ?? oldest }

    /// Returns the session as of a group. Runs off the loop: deltas of large states take long.
    @concurrent
    package func image(at group: GroupNumber = .max) async throws -> SessionImage {
        var image = image
        for entry in entries where entry.group <= group { try image.apply(entry.record) }
        return image
    }

    /// Returns the session as it continues from an older group, under an epoch that no front knows:
    /// fronts have seen a later tree.
    package func rewound(to group: GroupNumber) async throws -> SessionImage {
        var image = try await image(at: group).resumed(after: try await self.image())
        image.title.epoch = .random(in: 1 ... .max)
        return image
    }

    /// The newest group before the last change of the tree or a state; `nil` if the image has that.
    package var former: GroupNumber? {
        guard let newest = entries.last(where: { $0.record.changesTree })?.group else { return nil }
        return entries.last { $0.group < newest }?.group ?? oldest
    }
}

extension SessionImage {
    /// Encodes the history off the loop.
    @concurrent
    package func encodedAside() async throws -> [UInt8] { try encoded() }
}
