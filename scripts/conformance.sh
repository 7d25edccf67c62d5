#!/usr/bin/env bash
# conformance.sh: prints the promises of the pattern, case by case and link by link.
#
# Usage   scripts/conformance.sh BIN    where the test bundle was built
#         NAPKIN_SEQUENCES=100000       random sequences in place of 10,000
#         NAPKIN_SEED=7                 what the first of them is drawn from
# Exit    0 every promise is kept over every link; otherwise that of the tests, whose log is printed

set -eu -o pipefail

bin=$1
log=$(mktemp)
trap 'rm -f -- "$log"' EXIT

# run FILTER: shows the rows as they come.
run() {
    local status=0
    "$bin/napkinPackageTests.xctest" --testing-library swift-testing --filter "$1" >"$log" 2>&1 &
    local pid=$!
    tail --pid="$pid" -f "$log" 2>/dev/null | grep --line-buffered -E '^(\||equivalence:)' || true
    wait "$pid" || status=$?
    if [ "$status" -ne 0 ]; then
        grep -E '^(✘|↳|±)' "$log" >&2 || cat "$log" >&2
        exit "$status"
    fi
}

printf '| %-72s | %-8s | %-8s | %-8s |\n' 'L lifecycle, R routing, P presenting, E events, D injection, W work' \
    direct loopback sockets
run '^ConformanceTests\.AllLinks/ConformanceTests'
printf '\n| %-72s | %-8s |\n' 'C what must not compile' compiler
run '^CompileFailTests\.'
printf '\n'
run '^ConformanceTests\.AllLinks/EquivalenceTests'
