// ScreenTests: x.
import Testing
