// X: x.
import Testing
