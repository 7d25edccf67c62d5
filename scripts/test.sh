#!/usr/bin/env bash
# test.sh: builds everything once, then runs every test once, the cheap ones first.
#
# Exit    the status of the first stage that fails; the time of each stage is printed

set -eu -o pipefail

swift=${SWIFT:-swift}
stages=()

# stage NAME COMMAND…
stage() {
    local name=$1 began=$SECONDS status=0
    shift
    printf '\n== %s\n' "$name"
    "$@" </dev/null || status=$?
    stages+=("$(printf '%5d s  %s' "$((SECONDS - began))" "$name")")
    if [ "$status" -ne 0 ]; then
        stages+=("         (failed with status $status; what follows was not run)")
        exit "$status"
    fi
}
trap '[ "${#stages[@]}" -eq 0 ] || printf "%s\n" "" "${stages[@]}"' EXIT

# tests_of PACKAGE ARGUMENT…: runs its tests; run_tests: napkin's.
tests_of() { scripts/run-tests.sh "$products/$1PackageTests.xctest" "${@:2}"; }
run_tests() { tests_of napkin "$@"; }

# Benchmarks and the documentation's plug-in, too: Package.swift.
export NAPKIN_DEVELOPMENT=1
# Of the 10,000 random sequences of `make conformance`, which take minutes over both links.
export NAPKIN_SEQUENCES=${NAPKIN_SEQUENCES:-4000}

# From the virtual environment that scripts/setup.sh creates. The front in Python needs no build.
python=$PWD/.build/python/bin/python
python_front() { (cd Protocol/python && "$python" "$@"); }

stage "golden vectors" "$python" Protocol/vectors/generate.py --check
stage "payload grammar" "$python" Protocol/vectors/check_cddl.py
stage "manifests' schema" "$python" Protocol/vectors/check_manifests.py
stage "python types" python_front -m mypy . ../../examples/Jobs/jobs_front.py
stage "python tests" python_front -X dev -W error -m unittest
# SwiftPM has one directory for all modules: only this check holds a target to its dependencies.
# The plan that is there may be that of the other package.
planned=(--disable-build-manifest-caching --build-tests --explicit-target-dependency-import-check error)
stage "build of the macros' tests" env NAPKIN_MACRO_TESTS=1 "$swift" build "${planned[@]}"
products=$("$swift" build --show-bin-path)
stage "macro tests" run_tests --filter '^NapkinMacrosTests\.'
stage "build" "$swift" build "${planned[@]}"
stage "build of the examples" "$swift" build --package-path examples --scratch-path "$PWD/.build" \
    "${planned[@]}"
stage "style tests" run_tests --filter '^StyleTests\.'
stage "compile-fail tests" run_tests --filter '^CompileFailTests\.'
stage "unit tests" run_tests \
    --skip '^(StyleTests|CompileFailTests|ConformanceTests|IntegrationTests)\.' \
    --skip ResumeSearchTests
stage "tests of the examples" tests_of examples
stage "conformance" run_tests --filter '^ConformanceTests\.'
stage "resume search" run_tests --filter ResumeSearchTests
stage "documentation" scripts/docs.sh --check
stage "schema check" scripts/schema.sh check "$products"
stage "integration tests" run_tests --filter '^IntegrationTests\.' \
    --skip SessionProofTests --skip WalkTests
stage "screens" run_tests --filter WalkTests
stage "a new app" scripts/new-app.sh "$products"
stage "packages" make --no-print-directory package-check CONF=debug BUILD=: PACKAGES="$PWD/.build/packages/debug"
stage "session proofs" run_tests --filter SessionProofTests
