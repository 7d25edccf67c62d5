#!/usr/bin/env bash
# syscalls.sh: counts the system calls of an event, on the front's side and on the worker's side.
#
# Usage   scripts/syscalls.sh NAPKIN-BENCH [SECONDS]   with an optimised napkin-bench; needs strace
# Output  strace's table for each of the two processes, while one event at a time is under way

set -eu -o pipefail

if [ $# -lt 1 ] || [ ! -x "$1" ] || ! command -v strace >/dev/null; then
    printf 'usage: scripts/syscalls.sh NAPKIN-BENCH [SECONDS]; needs strace\n' >&2
    exit 64
fi
readonly bench=$1 seconds=${2:-2}
directory=$(mktemp -d /tmp/napkin-calls.XXXXXX)
. "$(dirname "$0")/bench-processes.sh"

for side in worker front; do
    timeout --signal=INT "$seconds" strace -c -f -o "$directory/$side" -p "${!side}" 2>/dev/null || true
    printf '%s\n' "$side:"
    awk 'NR == 1 || $4 ~ /^[0-9]+$/ && $NF != "total"' "$directory/$side"
done
