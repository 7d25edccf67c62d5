// Exports: re-exports Observation, which every presenter needs.

@_exported public import Observation
