#!/usr/bin/env bash
# run-tests.sh: runs tests that are built, without planning a build as `swift test` does.
#
# Usage   scripts/run-tests.sh BUNDLE [--filter EXPRESSION | --skip EXPRESSION]…
#         BUNDLE is the built tests' path: …/napkinPackageTests.xctest
# Output  the tests', without colours; at the end once more what has failed
# Exit    0 all passed · 69 no test matches · 124 not ended in time · otherwise that of the tests
#
# NAPKIN_TESTS_TIME   how long they may take: 30m if it is not set, 0 for no limit

set -eu -o pipefail

bundle=${1:?run-tests: give the path of the built tests}
shift
# A test that hangs would take the time of all that follow: the tests are ended, and print where
# their threads are. Chosen: those that take longest take 12 minutes on a slow machine.
longest=${NAPKIN_TESTS_TIME:-30m}
# Tests of whole processes have hundreds of pipes and sockets at a time. Chosen.
ulimit -Sn 20000 2>/dev/null || ulimit -Sn "$(ulimit -Hn)"
status=0
log=$(mktemp)
trap 'rm -f -- "$log"' EXIT

# The tests that have begun and not ended.
unended() {
    sed -nE '/ Test (case|run) /d; s/^◇ Test (.*) started\.$/\1/p' "$log" |
        while read -r name; do
            grep -qF -e " Test $name passed" -e " Test $name failed" -e " Test $name with" "$log" ||
                printf '    %s\n' "$name"
        done
}

# It writes colours even into a pipe.
exec 3> >(sed -u 's/\x1b\[[0-9;]*m//g' | tee "$log")
reader=$!
SWIFT_BACKTRACE=enable=yes,preset=full,registers=none,images=none,interactive=no,color=no \
    timeout --foreground --signal ABRT --kill-after 60 "$longest" \
    "$bundle" --testing-library swift-testing "$@" >&3 2>&1 3>&- || status=$?
exec 3>&-
# What a test that hangs has started may hold the pipe.
[ "$status" -eq 124 ] || [ "$status" -eq 137 ] || wait "$reader"
case $status in
0) ;;
69) printf 'run-tests: no test matches %s\n' "$*" >&2 ;;
*)
    # They may be far above.
    printf '\n== what failed\n'
    grep -A 12 -E '^✘ .*recorded an issue' "$log" | head -n 100 || true
    grep -E '^✘ |(F|f)atal error' "$log" | grep -v 'recorded an issue' | tail -n 40 || true
    [ "$status" -lt 124 ] || printf 'not ended after %s:\n%s\n' "$longest" "$(unended)"
    ;;
esac
exit "$status"
