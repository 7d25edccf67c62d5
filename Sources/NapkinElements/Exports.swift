// Exports: what comes with this module, because nobody can write a presenter without it.
//
// Layer      elements.
// Isolation  none of its own.

@_exported public import Observation
