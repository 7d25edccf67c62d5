// Plugin: the macros that the compiler finds here.
//
// Layer      compile time only; nothing of this target is in a running program.
// Isolation  value

import SwiftCompilerPlugin
import SwiftSyntaxMacros

@main struct NapkinMacrosPlugin: CompilerPlugin {
    let providingMacros: [any Macro.Type] = [
        CrossingMacro.self, EffectMacro.self, MessageMacro.self,
    ]
}
