#!/usr/bin/env bash
# conformance.sh: prints the promises of the pattern, case by case and link by link.
#
# Usage   scripts/conformance.sh BIN    where the tests of the library and of Tests/Proofs were built
#         NAPKIN_SEQUENCES=100000       random sequences instead of 10,000
#         NAPKIN_SEED=7                 the seed of the first of them
# Exit    0 every promise is kept over every link; otherwise the tests' status, and their log is printed

set -eu -o pipefail

bin=$1
log=$(mktemp)
trap 'rm -f -- "$log"' EXIT

# tests_of PACKAGE FILTER
tests_of() { "$bin/$1PackageTests.xctest" --testing-library swift-testing --filter "$2"; }

# run PACKAGE FILTER: shows the rows as they come.
run() {
    local status=0
    tests_of "$@" >"$log" 2>&1 &
    local pid=$!
    tail --pid="$pid" -f "$log" 2>/dev/null | grep --line-buffered -E '^(\||equivalence:)' || true
    wait "$pid" || status=$?
    if [ "$status" -ne 0 ]; then
        grep -E '^(✘|↳|±)' "$log" >&2 || cat "$log" >&2
        exit "$status"
    fi
}

printf '| %-72s | %-8s | %-8s | %-8s |\n' 'L lifecycle, R routing, P presenting, E events, D injection, W work' \
    loopback sockets process
run proofs '^ConformanceTests\.AllLinks/ConformanceTests'
printf '\n| %-72s | %-8s |\n' 'C what must not compile' compiler
run napkin '^CompileFailTests\.'

# faults SECTION TITLE: faults are produced where they can be, mostly between processes. Each test is a row.
faults() {
    local status=0 id="$1[0-9]+(, $1[0-9]+)*"
    printf '\n| %-85s | %-8s |\n' "$1 $2" kept
    for package in napkin proofs; do
        # 69: this one has none of the section.
        tests_of "$package" "[^A-Za-z]$1[0-9]+: " || [ $? -eq 69 ] || status=1
    done >"$log" 2>&1
    sed 's/\x1b\[[0-9;]*m//g' "$log" |
        sed -nE "s/^(✔|✘) Test \"($id): (.*)\"( with [0-9]+ test cases?)? (passed|failed) .*/\2\t\4\t\6/p" | sort -V |
        while IFS=$'\t' read -r id promise result; do
            printf '| %-6s %-78s | %-8s |\n' "$id" "$promise" \
                "$([ "$result" = passed ] && echo ok || echo FAILED)"
        done
    if [ "$status" -ne 0 ]; then
        grep -E '^(✘|↳|±)' "$log" >&2 || cat "$log" >&2
        exit "$status"
    fi
}
faults S 'sessions and faults'
faults U 'durable state'
printf '\n'
run proofs '^ConformanceTests\.AllLinks/EquivalenceTests'
