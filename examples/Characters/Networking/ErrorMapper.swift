// ErrorMapper: errors of HTTP, GraphQL and the mapping, as errors of the domain.

/// Names what has gone wrong with the answer to one question.
nonisolated struct ErrorMapper: Sendable {
    /// The requested thing, in words.
    let name: String

    func error(ofStatus status: Int) -> LoadError {
        status == 404 ? .notFound(name) : .badData("it has the status \(status)")
    }

    func error(of dto: ErrorDTO) -> LoadError {
        dto.extensions?.code == "NOT_FOUND"
            ? .notFound(name) : .badData(dto.message ?? "an error without words")
    }

    func error(of error: MappingError) -> LoadError { .badData(error.description) }

    func error(of error: Picture.Malformed) -> LoadError {
        .badData("\(name) is not a picture: \(error)")
    }
}
