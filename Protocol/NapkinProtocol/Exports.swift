// Exports: re-exports the vocabulary of every machine.

@_exported public import NapkinCoding
