// Exports: what comes with this module, because nobody can write a presenter without it.

@_exported public import Observation
