// HonestyRules: no error is dropped in silence, nothing is left for later, no test sleeps.

import Foundation

extension Rule {
    /// Files of the integration tests that may sleep, each with its reason.
    static let sleepers: [String: String] = [:]

    static let honestyRules = [
        Rule(
            name: "a try? says why the error does not matter",
            examples: [
                Example("// The peer may be gone already.\ntry? a()\ntry? b()  // best effort\n"),
                Example("let a = 1  // one\ntry? a()\n\"try? in a string\"\n", broken: [2]),
            ],
            check: { file in
                occurrences(of: "try?", in: file.code).map(file.line(at:)).compactMap { line in
                    guard file.isBlank(line, in: file.comments), !file.isCommentOnly(line - 1)
                    else { return nil }
                    let advice = "say why in a comment on this line or above, or handle the error"
                    return file.violation(line, "`try?` without its reason", do: advice)
                }
            }),
        Rule(
            name: "a catch is not empty",
            examples: [
                Example("do { try a() } catch { log(error) }\n"),
                Example("do { try a() } catch is Gone {\n    // It was to go anyway.\n}\n"),
                Example("do { try a() } catch {\n\n}\n", broken: [1]),
                Example(
                    "do { try a() } catch let error as E where error.code == 1 {}\n", broken: [1]),
            ],
            check: { file in
                occurrences(of: "catch", in: file.code).compactMap { start in
                    guard let opening = file.code[start...].firstIndex(of: UInt8(ascii: "{")),
                        let closing = file.code[opening...].firstIndex(of: UInt8(ascii: "}"))
                    else { return nil }
                    let isBlank = { (view: [UInt8]) in
                        view[(opening + 1)..<closing].allSatisfy { $0 == .space || $0 == .newline }
                    }
                    guard isBlank(file.code), isBlank(file.comments) else { return nil }
                    let advice = "handle the error, or say why there is nothing to do"
                    return file.violation(file.line(at: start), "an empty `catch`", do: advice)
                }
            }),
        Rule(
            name: "what was chosen has its reason",
            examples: [
                Example("/// A second. Chosen: nobody waits for it.\nlet a = \"Chosen.\"\n"),
                Example("/// A second. Chosen.\nlet a = 1\n", broken: [1]),
            ],
            check: { file in
                if file.path.hasPrefix("Tests/") { return [] }
                return occurrences(of: "Chosen.", in: file.comments).map { offset in
                    let advice = "say what is too little and too much: `Chosen: …`"
                    return file.violation(file.line(at: offset), "no reason", do: advice)
                }
            }),
        Rule(
            name: "nothing is left for later",
            examples: [
                Example("let TODO = 1\n\"XXX\"\n// napkin.XXXXXX\n"),
                Example("// TODO: more\n/* FIXME */\n// XXX\n", broken: [1, 2, 3]),
            ],
            check: { file in
                ["TODO", "FIXME", "XXX"].flatMap { word in
                    occurrences(of: word, in: file.comments).map { offset in
                        let advice = "do it now, or open an issue and take the comment out"
                        return file.violation(file.line(at: offset), "a \(word)", do: advice)
                    }
                }
            }),
        Rule(
            name: "an integration test does not sleep",
            examples: [
                Example("Tests/XTests/A.swift", "try await Task.sleep(for: .zero)\n"),
                Example(
                    "Tests/Proofs/Tests/IntegrationTests/A.swift",
                    "Task.sleep(1)\nusleep(1)\nsleep(1)\nThread.sleep(1)\nasleep(1)\n// sleep(1)\n",
                    broken: [1, 2, 3, 4]),
            ],
            check: { file in
                guard file.path.hasPrefix("Tests/Proofs/Tests/IntegrationTests/"),
                    sleepers[file.path] == nil
                else { return [] }
                let calls = ["sleep(", "usleep(", "nanosleep(", "clock_nanosleep("]
                return calls.flatMap { call in
                    occurrences(of: call, in: file.code).map { offset in
                        let what = "\(call)…) in an integration test"
                        let advice = "wait for the line, the frame or the exit that you mean"
                        return file.violation(file.line(at: offset), what, do: advice)
                    }
                }
            }),
    ]
}
