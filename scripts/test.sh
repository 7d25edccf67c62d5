#!/usr/bin/env bash
# test.sh: builds everything once, then runs every test once, the cheap ones first.
#
# Exit    the status of the first stage that fails; the time of each stage is printed

set -eu -o pipefail

swift=${SWIFT:-swift}
stages=()

# Minutes that a stage may take, with all that it has started. Chosen: run-tests.sh ends tests after 30.
limit=35

# stage NAME COMMAND…: a program or one of the functions below.
stage() {
    local name=$1 began=$SECONDS status=0
    shift
    printf '\n== %s\n' "$name"
    timeout --kill-after 60 "${limit}m" bash -euc '"$@"' "$name" "$@" </dev/null || status=$?
    [ "$status" -ne 124 ] || printf 'test: %s was not done in %s minutes\n' "$name" "$limit" >&2
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

# Of the 10,000 random sequences of `make conformance`, which take minutes over both links.
export NAPKIN_SEQUENCES=${NAPKIN_SEQUENCES:-2500}

# From the virtual environment that scripts/setup.sh creates. The front in Python needs no build.
python=$PWD/.build/python/bin/python
python_front() { (cd Protocol/python && "$python" "$@"); }

# package DIRECTORY ARGUMENT…: builds one, all in one place, so that nothing is compiled twice. The plan
# that is there may be that of another.
package() {
    "$swift" build --package-path "$1" --scratch-path "$PWD/.build" --build-tests \
        --disable-build-manifest-caching "${@:2}"
}
# Three machines: as root, who may have network namespaces.
reach() {
    [ "$(id -u)" -ne 0 ] || ! unshare --net true || scripts/reach.py "$products" --rounds 4 --seed 7
}
# SwiftPM has one directory for all modules: only this check holds a target to its dependencies.
declared=(--explicit-target-dependency-import-check error)
export swift python
export -f tests_of run_tests python_front package reach

stage "golden vectors" "$python" Protocol/vectors/generate.py --check
stage "payload grammar" "$python" Protocol/vectors/check_cddl.py
stage "manifests' schema" "$python" Protocol/vectors/check_manifests.py
stage "python types" python_front -m mypy . ../../examples/Desk/desk_front.py
stage "python tests" python_front -X dev -W error -m unittest
stage "build of the macros' tests" package Tests/Macros
products=$("$swift" build --show-bin-path)
export products
stage "macro tests" tests_of macros
stage "build" package . "${declared[@]}"
stage "style tests" run_tests --filter '^StyleTests\.'
stage "compile-fail tests" run_tests --filter '^CompileFailTests\.'
stage "unit tests" run_tests --skip '^(StyleTests|CompileFailTests)\.'
stage "documentation" scripts/docs.sh --check
stage "build of the examples" package examples "${declared[@]}"
stage "tests of the examples" tests_of examples
stage "build of the proofs" package Tests/Proofs
stage "probes' tests" tests_of proofs --filter '^ProbeTests\.'
stage "conformance" tests_of proofs --filter '^ConformanceTests\.'
stage "schema check" scripts/schema.sh check "$products"
stage "integration tests" tests_of proofs --filter '^IntegrationTests\.' \
    --skip SessionProofTests --skip WalkTests
stage "three machines" reach
stage "screens" tests_of proofs --filter WalkTests
stage "a new app" scripts/new-app.sh "$products"
stage "packages" make --no-print-directory package-check CONF=debug BUILD=: PACKAGES="$PWD/.build/packages/debug"
stage "session proofs" tests_of proofs --filter SessionProofTests
